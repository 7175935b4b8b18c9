// The expander compared with the list of addresses in hardware spec 2.4.
#include <cstdint>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "models/tcu/decoder/expander.h"

namespace tactus {
namespace {

/// Advances the expander at the clock edge after an output was taken.
void advance(Expander& expander, std::uint64_t size, std::uint64_t step) {
  if (expander.last(size)) {
    expander.start_over();
  } else {
    expander.advance_within(step);
  }
}

std::vector<std::uint64_t> offsets(Expander& expander, std::uint64_t size, std::uint64_t step) {
  std::vector<std::uint64_t> list;
  bool last = false;
  while (!last) {
    list.push_back(expander.offset());
    last = expander.last(size);
    advance(expander, size, step);
  }
  return list;
}

/// Several items in succession, each within the depth; the counter and the offset start at 0 for
/// each item.
RC_GTEST_PROP(ExpanderProperty, OneOutputAVectorAndOffsetsModuloTheDepth, ()) {
  const bool power_of_two = *rc::gen::arbitrary<bool>();
  const std::uint64_t depth = power_of_two ? std::uint64_t{1} << *rc::gen::inRange(0, 8)
                                           : *rc::gen::inRange<std::uint64_t>(1, 200);
  Expander expander(depth);
  const int items = *rc::gen::inRange(1, 40);
  for (int item = 0; item < items; ++item) {
    const auto size = *rc::gen::inRange<std::uint64_t>(0, depth);
    const std::uint64_t step = std::uint64_t{1} << *rc::gen::inRange(0, 9);
    std::vector<std::uint64_t> expected;
    std::uint64_t offset = 0;
    for (std::uint64_t k = 0; k <= size; ++k) {
      expected.push_back(offset);
      if (power_of_two) RC_ASSERT(offset == k * step % depth);
      offset = offset + step >= depth ? 0 : offset + step;
    }
    RC_ASSERT(offsets(expander, size, step) == expected);
    RC_ASSERT(expander.count() == 0U);
    RC_ASSERT(expander.offset() == 0U);
  }
}

TEST(Expander, WrapsAsInTheSpecificationsExample) {
  Expander expander(8192);
  EXPECT_EQ(offsets(expander, 3, 1), (std::vector<std::uint64_t>{0, 1, 2, 3}));
  EXPECT_EQ(offsets(expander, 3, 4096), (std::vector<std::uint64_t>{0, 4096, 0, 4096}));
}

TEST(Expander, ASizeBeyondTheDepthNeverEnds) {
  Expander expander(20);
  for (int i = 0; i < 1000; ++i) {
    ASSERT_FALSE(expander.last(20)) << i;
    ASSERT_LT(expander.count(), 20U);
    advance(expander, 20, 1);
  }
}

}  // namespace
}  // namespace tactus
