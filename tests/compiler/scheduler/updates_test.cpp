// Consecutive updates of one accumulator need a Wait on small arrays if no load of weights is
// between them.
#include "firmware/compiler/targets/tcu/lir/updates.h"

#include <gtest/gtest.h>

namespace tactus::compiler::lir {
namespace {

Place local_place(std::uint64_t raw) { return {{Tag::local, 0, raw}, 0}; }
Place sum_place(std::uint64_t raw, unsigned stride = 0) {
  return {{Tag::accumulators, 0, raw}, stride};
}

/// Returns the positions of inserted Waits.
std::vector<std::size_t> waits(const std::vector<Operation>& operations) {
  Segment segment;
  segment.operations = operations;
  const Segment result = keep_updates_apart(segment, 3);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < result.operations.size(); ++i) {
    if (std::holds_alternative<Wait>(result.operations[i])) places.push_back(i);
  }
  EXPECT_EQ(result.operations.size(), operations.size() + places.size());
  return places;
}

using Places = std::vector<std::size_t>;

TEST(Updates, AccumulatingUpdatesCollideOnArraysBelowFour) {
  EXPECT_TRUE(updates_collide(2));
  EXPECT_TRUE(updates_collide(3));
  EXPECT_FALSE(updates_collide(4));
}

TEST(Updates, AWaitPrecedesTheSecondUpdate) {
  EXPECT_EQ(waits({MatMul{false, local_place(0), sum_place(5), 1}, LoadWeights{local_place(8), 3},
                   MatMul{true, local_place(1), sum_place(5), 1}}),
            Places{2});
}

TEST(Updates, OtherAccumulatorsDoNotWait) {
  EXPECT_EQ(waits({MatMul{false, local_place(0), sum_place(5), 1},
                   MatMul{true, local_place(1), sum_place(6), 1}}),
            Places{});
  EXPECT_EQ(waits({MatMul{false, local_place(0), sum_place(4, 1), 2},
                   MatMul{true, local_place(1), sum_place(6), 1}}),
            Places{1});
  EXPECT_EQ(waits({MatMul{true, local_place(0), sum_place(3), 4}}), Places{});
}

TEST(Updates, PlainWritesNeverWaitAndDataMovesAreUpdatesToo) {
  EXPECT_EQ(waits({MatMul{true, local_place(0), sum_place(5), 1},
                   MatMul{false, local_place(0), sum_place(5), 1}}),
            Places{});
  EXPECT_EQ(waits({MatMul{false, local_place(0), sum_place(5), 1},
                   DataMove{false, true, local_place(1), sum_place(5), 1}}),
            Places{1});
  EXPECT_EQ(waits({MatMul{false, local_place(0), sum_place(5), 1},
                   DataMove{true, false, local_place(1), sum_place(5), 1}}),
            Places{});
}

TEST(Updates, OneWaitCoversAllUpdatesBeforeIt) {
  EXPECT_EQ(waits({MatMul{false, local_place(0), sum_place(5), 1},
                   MatMul{false, local_place(0), sum_place(6), 1},
                   MatMul{true, local_place(1), sum_place(5), 1},
                   MatMul{true, local_place(1), sum_place(6), 1},
                   MatMul{true, local_place(1), sum_place(5), 1}}),
            (Places{2, 5}));
}

}  // namespace
}  // namespace tactus::compiler::lir
