// The vectors of a rearrangement's result, grouped by the way in which they are made.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <tuple>
#include <vector>

#include "firmware/compiler/frontend/layout.h"
#include "firmware/compiler/frontend/nest.h"
#include "firmware/compiler/targets/tcu/stripe/nests_of_points.h"

namespace tactus::compiler::stripe_tcu {

/// Number of dimensions in memory, where a scalar has one.
[[nodiscard]] inline std::size_t memory_rank(const Layout& layout) {
  return std::max<std::size_t>(layout.rank(), 1);
}

/// How a result vector is made from its sources.
struct Pattern {
  struct Source {
    std::int32_t piece = 0;
    std::vector<std::int32_t> to_lane;  ///< source lane + 1 for each lane of the result; 0: none

    bool operator<(const Source& o) const {
      return std::tie(piece, to_lane) < std::tie(o.piece, o.to_lane);
    }
  };
  std::int64_t lanes = 0;  ///< lanes of the result
  /// Copied lane for lane from one source; without a source it is the fill value.
  bool copied = false;
  std::vector<Source> sources;  ///< in the order of the first lanes that they supply
  std::vector<bool> filled;     ///< lanes that are the fill value, if that is not 0; empty: none

  bool operator<(const Pattern& o) const {
    return std::tie(lanes, copied, sources, filled) <
           std::tie(o.lanes, o.copied, o.sources, o.filled);
  }
};

/// Groups the vectors of `result`. `n`: lanes of a vector; `fill`: the fill value is not 0. A point
/// is a result vector, or the first of a row of copied ones: its indexes, followed by those of its
/// sources.
[[nodiscard]] std::map<Pattern, std::vector<Point>> group_by_pattern(
    const Layout& result, const std::vector<Layout>& pieces, const FindOrigin& origin, bool fill,
    std::int64_t n);

}  // namespace tactus::compiler::stripe_tcu
