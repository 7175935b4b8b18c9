// Local copies of what a block's refinements see, and the transfers that fill and drain them.
#pragma once

#include <string>

#include "firmware/compiler/stripe/passes/alias.h"

namespace tactus::stripe {

struct CacheOptions {
  Location memory;    ///< of the copy
  Location transfer;  ///< of the transfer blocks
  Tags load_tags, store_tags;
  bool add_constraints = true;  ///< keep transfers inside the buffer
};

/// Renames refinement `into` of the block to INTO_raw, puts an allocation in its place, and adds a
/// transfer before all statements (direction in or inout) and after them (out or inout).
void cache_refinement(const AliasMap& map, Block& block, const std::string& into,
                      Direction direction, const CacheOptions& options);

/// A block over the frame's indexes that copies `from` to `to`, an element a position.
[[nodiscard]] Statement make_transfer(const Block& frame, const std::string& name, Refinement from,
                                      Refinement to, const Tags& tags);

/// Whether the one block inside that writes the refinement leaves elements between those it writes.
/// False where several do, or where that cannot be told.
[[nodiscard]] bool leaves_gaps(const Block& block, const std::string& into);

/// Whether the views of two positions may have elements in common.
[[nodiscard]] bool positions_overlap(const Block& block, const Refinement& ref);

}  // namespace tactus::stripe
