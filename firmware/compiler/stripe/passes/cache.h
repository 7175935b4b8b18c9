// Local copies of the data of a block's refinements, and the transfers that fill and store them.
#pragma once

#include <string>

#include "firmware/compiler/stripe/passes/alias.h"

namespace tactus::stripe {

struct CacheOptions {
  Location memory;    ///< location of the copy
  Location transfer;  ///< location of the transfer blocks
  Tags load_tags, store_tags;
  bool add_constraints = true;  ///< keep transfers inside the buffer
};

/// Renames refinement `into` of the block to INTO_raw, puts an allocation in its place, and adds a
/// transfer before all statements (direction in or inout) and after them (out or inout).
void cache_refinement(const AliasMap& map, Block& block, const std::string& into,
                      Direction direction, const CacheOptions& options);

/// Makes a block over the frame's indexes that copies `from` to `to`, one element at each position.
[[nodiscard]] Statement make_transfer(const Block& frame, const std::string& name, Refinement from,
                                      Refinement to, const Tags& tags);

/// True if the only inner block that writes the refinement leaves gaps between the elements it
/// writes. False if several blocks write it, or if this is unknown.
[[nodiscard]] bool leaves_gaps(const Block& block, const std::string& into);

/// True if the views of two positions may share elements.
[[nodiscard]] bool positions_overlap(const Block& block, const Refinement& ref);

}  // namespace tactus::stripe
