// Local copies laid out as a block inside uses them.
#pragma once

#include <string>
#include <vector>

#include "firmware/compiler/stripe/passes/cache.h"

namespace tactus::stripe {

/// The first block with the tag inside a block, depth first: positions of statements, outermost
/// first. Empty if there is none.
[[nodiscard]] std::vector<std::size_t> path_to(const Block& block, const std::string& tag);

/// Does the same as cache_refinement(), but the copy has a dimension for each index of the blocks
/// along `path` that moves the view; indexes that step through the same elements share a dimension.
/// Transfers are put around the statement that contains the block. Does nothing if the block does
/// not use `into`. `order_by_stride`: dimensions are ordered by decreasing steps, else in the order
/// of indexes. Throws UserError for views that do not allow this layout.
void cache_by_reference(const AliasMap& map, Block& block, const std::string& into,
                        Direction direction, const CacheOptions& options,
                        const std::vector<std::size_t>& path, bool order_by_stride);

}  // namespace tactus::stripe
