// Converts lists of points to nests of loops.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus::compiler::stripe_tcu {

/// Coordinates.
using Point = std::vector<std::int32_t>;

/// The points start + sum of step * i over all loops, with i from 0 to count - 1.
struct PointNest {
  struct Loop {
    std::int64_t count = 0;  ///< 2 or more
    Point step;

    bool operator==(const Loop& o) const { return count == o.count && step == o.step; }
  };
  Point start;
  std::vector<Loop> loops;  ///< the outermost first
};

/// Returns nests that visit each point once, in any order. Points are joined along one of their
/// first `dimensions` coordinates after the other; of the orders of coordinates, the one with the
/// fewest nests is used. All points have the same number of coordinates.
[[nodiscard]] std::vector<PointNest> nests_of(const std::vector<Point>& points,
                                              std::size_t dimensions);

}  // namespace tactus::compiler::stripe_tcu
