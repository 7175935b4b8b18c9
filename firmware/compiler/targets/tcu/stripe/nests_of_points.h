// Lists of points as nests of loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus::compiler::stripe_tcu {

/// start + the sum of step * i for each loop, i from 0 to count - 1.
struct PointNest {
  struct Loop {
    std::int64_t count = 0;  ///< 2 or more
    std::vector<std::int32_t> step;

    bool operator==(const Loop& o) const { return count == o.count && step == o.step; }
  };
  std::vector<std::int32_t> start;
  std::vector<Loop> loops;  ///< the outermost first
};

/// Nests that visit each of the points once, in any order; the fewest that running through the
/// points along one of their first `dimensions` coordinates after the other gives. All points have
/// equally many coordinates.
[[nodiscard]] std::vector<PointNest> nests_of(const std::vector<std::vector<std::int32_t>>& points,
                                              std::size_t dimensions);

}  // namespace tactus::compiler::stripe_tcu
