// Match of a compute unit's stencil with a block.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <tuple>
#include <vector>

#include "firmware/compiler/stripe/ir.h"
#include "firmware/compiler/stripe/passes/options.h"

namespace tactus::stripe {

struct StencilMatch {
  struct Entry {
    std::string index;          ///< index of the block
    std::string stencil_index;  ///< laid on it; "*": none
    std::uint64_t size = 1;
    friend bool operator<(const Entry& a, const Entry& b) {
      return std::tie(a.index, a.stencil_index, a.size) <
             std::tie(b.index, b.stencil_index, b.size);
    }
  };
  /// Slots of all tiles, filled or not, and startup_cost a tile.
  std::uint64_t cost = 0;
  std::vector<Entry> indexes;          ///< in the block's order
  std::vector<std::string> ins, outs;  ///< refinements, in the order of the rules

  friend bool operator<(const StencilMatch& a, const StencilMatch& b) {
    return std::tie(a.cost, a.indexes) < std::tie(b.cost, b.indexes);
  }
};

/// The cheapest match of any of the stencils; none if no one matches. `strict`: sizes must divide
/// the ranges.
[[nodiscard]] std::optional<StencilMatch> find_stencil(const Block& block,
                                                       const std::vector<Stencil>& stencils,
                                                       bool strict);

}  // namespace tactus::stripe
