// Tiling: the transformation under tensorize, autotile, partition and fusion.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

struct TileOptions {
  bool elide_trivial = false;    ///< do nothing if all sizes are 1, or all equal the ranges
  bool copy_tags = false;        ///< the inner block gets the outer one's tags, too
  bool interleave = false;       ///< element i goes to tile i mod count instead of i / size
  std::string location_idx_tag;  ///< "#tag" in units becomes the number of the tile
};

/// Splits a block into an outer one that counts tiles and an inner one that counts the positions of
/// one; `sizes` are the tile's, one an index in their order. The statement becomes the outer block,
/// which holds the inner one alone. Ranges that are no multiple leave a constraint inside.
/// Returns false if nothing was done.
bool apply_tile(Statement& stmt, const std::vector<std::uint64_t>& sizes,
                const TileOptions& options = {});

}  // namespace tactus::stripe
