// The store of cycles that have been settled.
#include <gtest/gtest.h>

#include "models/sim/fast/known_cycles.h"

namespace tactus {
namespace {

using Known = KnownCycles<int>;

TEST(KnownCycles, NothingIsKnownAtFirst) {
  Known known;
  EXPECT_FALSE(Known::holds(known.place({}), {}));
  EXPECT_FALSE(Known::holds(known.place({1, 2}), {1, 2}));
}

TEST(KnownCycles, FactsAreComparedWhole) {
  Known known;
  const CycleFacts facts{0x123456789, 0x1000000000000000};
  known.place(facts) = {facts, true, 7};
  ASSERT_TRUE(Known::holds(known.place(facts), facts));
  EXPECT_EQ(known.place(facts).edges, 7);
  for (unsigned bit = 0; bit < 64; ++bit) {
    const std::uint64_t flip = std::uint64_t{1} << bit;
    EXPECT_FALSE(Known::holds(known.place(facts), {facts.low ^ flip, facts.high})) << bit;
    EXPECT_FALSE(Known::holds(known.place(facts), {facts.low, facts.high ^ flip})) << bit;
  }
}

TEST(KnownCycles, APlaceHoldsOneCycle) {
  Known known;
  const CycleFacts first{1, 1};
  CycleFacts other{2, 1};
  while (&known.place(other) != &known.place(first)) ++other.low;
  known.place(first) = {first, true, 1};
  EXPECT_FALSE(Known::holds(known.place(other), other));
  known.place(other) = {other, true, 2};
  EXPECT_TRUE(Known::holds(known.place(other), other));
  EXPECT_FALSE(Known::holds(known.place(first), first));
}

}  // namespace
}  // namespace tactus
