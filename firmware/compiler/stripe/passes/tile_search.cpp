#include "firmware/compiler/stripe/passes/tile_search.h"

#include <algorithm>
#include <set>
#include <utility>

#include "firmware/compiler/stripe/passes/support.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

constexpr std::size_t most_tiles = 4'000'000;

using Sizes = std::vector<std::uint64_t>;

std::uint64_t grown(std::uint64_t size, std::uint64_t range, TileGrowth growth) {
  std::uint64_t next = size;
  switch (growth) {
    case TileGrowth::by_one:
      next = size + 1;
      break;
    case TileGrowth::doubling:
      next = size > range / 2 ? range : 2 * size;
      break;
    case TileGrowth::next_divisor:
      for (next = size + 1; next < range && range % next != 0;) ++next;
      break;
    case TileGrowth::by_32:
      next = size + 32;
      break;
  }
  return std::min(next, range);
}

}  // namespace

std::optional<Sizes> best_tile(const Block& block, const TileSearch& search) {
  Sizes tile;
  for (std::size_t i = 0; i < block.indexes.size(); ++i) {
    const std::uint64_t range = block.indexes[i].range;
    const std::uint64_t start = search.growth == TileGrowth::by_32 ? 32 : 1;
    tile.push_back(search.grows[i] ? std::min(start, range) : range);
  }
  std::set<Sizes> found;
  std::set<std::pair<double, Sizes>> todo;
  std::optional<std::pair<double, Sizes>> best;
  const auto add = [&](const Sizes& sizes) {
    if (!found.insert(sizes).second) return;
    if (found.size() > most_tiles) {
      user_error("block {}: more than {} tiles to look at; only_po2 makes them fewer",
                 block_name(block), most_tiles);
    }
    const TileCost cost = search.cost(sizes);
    const bool valid = cost.outcome == TileCost::Outcome::valid;
    if (valid && (!best || cost.value < best->first)) best = {cost.value, sizes};
    if (cost.outcome != TileCost::Outcome::stop) todo.emplace(valid ? cost.value : 0, sizes);
  };
  add(tile);
  std::optional<double> last;
  while (!todo.empty()) {
    const auto [cost, sizes] = *todo.begin();
    if (search.fast && last && cost > *last) break;
    last = cost;
    todo.erase(todo.begin());
    for (std::size_t i = 0; i < sizes.size(); ++i) {
      const std::uint64_t range = block.indexes[i].range;
      if (!search.grows[i] || sizes[i] == range) continue;
      Sizes next = sizes;
      next[i] = grown(sizes[i], range, search.growth);
      add(next);
    }
  }
  if (!best) return std::nullopt;
  return best->second;
}

}  // namespace tactus::stripe
