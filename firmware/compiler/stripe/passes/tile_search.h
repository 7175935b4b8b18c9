// The search for the best tile of a block: best first over a lattice of sizes.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

struct TileCost {
  enum class Outcome {
    valid,
    stop,     ///< unusable, and so is everything larger
    keep_on,  ///< unusable, but larger ones may be usable
  };
  Outcome outcome = Outcome::valid;
  double value = 0;
};

enum class TileGrowth { by_one, doubling, next_divisor, by_32 };

struct TileSearch {
  TileGrowth growth = TileGrowth::by_one;
  bool fast = false;  ///< ends as soon as costs rise
  /// Sizes per index -> cost.
  std::function<TileCost(const std::vector<std::uint64_t>&)> cost;
  /// Indexes whose size may grow; others keep their whole range.
  std::vector<bool> grows;
};

/// Smallest cost, sizes one an index; none if no tile is valid. UserError after 4 million tiles.
[[nodiscard]] std::optional<std::vector<std::uint64_t>> best_tile(const Block& block,
                                                                  const TileSearch& search);

}  // namespace tactus::stripe
