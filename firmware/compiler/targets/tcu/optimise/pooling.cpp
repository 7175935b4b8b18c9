#include "firmware/compiler/targets/tcu/optimise/rewrites.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tactus::compiler::optimise {
namespace {

bool is_monotone(const Group& group) {
  return group.kind == GroupKind::sum && group.window == 1 &&
         group.activation != Activation::lookup &&
         std::all_of(group.slope.begin(), group.slope.end(),
                     [](float slope) { return slope >= 0 && slope <= 1; });
}

class Pooling {
 public:
  explicit Pooling(Network& network) : network_(network) {}

  void run() {
    find_makers();
    live_.assign(network_.graph.constants.size(), true);
    // By group of the network: what is put in behind it.
    std::map<std::size_t, std::vector<Group>> made;
    for (std::size_t g = 0; g < network_.groups.size(); ++g) {
      const Group& group = network_.groups[g];
      if (group.kind == GroupKind::simd && group.operation == hir::Kind::max_pool) take(g, made);
    }
    if (made.empty()) return;
    for (Group& group : network_.groups) drop_dead(group, live_, network_.graph.n);
    std::vector<Group> groups;
    for (std::size_t g = 0; g < network_.groups.size(); ++g) {
      if (network_.groups[g].pixels != 0) groups.push_back(std::move(network_.groups[g]));
      for (Group& group : made[g]) groups.push_back(std::move(group));
    }
    network_.groups = std::move(groups);
  }

 private:
  struct Made {
    std::size_t group = ~std::size_t{0};
    std::uint32_t pixel = 0, block = 0;
    std::uint32_t reads = 0;
  };
  /// Where a block of a pool comes from.
  struct Source {
    std::size_t group = 0;
    std::uint32_t block = 0;
    std::size_t window = 0;
  };

  void find_makers();
  [[nodiscard]] std::optional<Source> source(const Group& pool, std::uint32_t block) const;
  void take(std::size_t pool, std::map<std::size_t, std::vector<Group>>& made);
  [[nodiscard]] Group pooled(std::size_t sum, const Group& pool, const std::vector<Source>& sources,
                             const std::vector<std::uint32_t>& blocks) const;

  Network& network_;
  std::vector<Made> made_;  ///< by vector
  std::vector<bool> live_;  ///< by vector: still made by the group that made it
};

void Pooling::find_makers() {
  made_.assign(network_.graph.constants.size(), {});
  for (std::size_t g = 0; g < network_.groups.size(); ++g) {
    const Group& group = network_.groups[g];
    for (std::size_t i = 0; i < group.results.size(); ++i) {
      Made& made = made_[group.results[i]];
      made.group = g;
      made.pixel = static_cast<std::uint32_t>(i / group.blocks);
      made.block = static_cast<std::uint32_t>(i % group.blocks);
    }
    for_inputs(group, [&](Vector v, std::uint32_t) { ++made_[v].reads; });
  }
  for (const Tensor& output : network_.graph.outputs) {
    for (const Vector v : output.vectors) {
      if (v != no_vector) made_[v].reads += 2;
    }
  }
}

/// Each result of the block has a window of its own, of one size, in one block of one sum, of which
/// nobody else reads anything.
std::optional<Pooling::Source> Pooling::source(const Group& pool, std::uint32_t block) const {
  Source found;
  for (std::uint32_t p = 0; p < pool.pixels; ++p) {
    const std::vector<Vector>& window = pool.windows[std::size_t{p} * pool.blocks + block];
    if (p == 0) {
      if (window.size() < 2 || window.front() == no_vector) return std::nullopt;
      const Made& first = made_[window.front()];
      found = {first.group, first.block, window.size()};
      if (first.group >= network_.groups.size() || !is_monotone(network_.groups[first.group])) {
        return std::nullopt;
      }
    }
    if (window.size() != found.window) return std::nullopt;
    for (const Vector v : window) {
      if (v == no_vector || made_[v].reads != 1 || made_[v].group != found.group ||
          made_[v].block != found.block) {
        return std::nullopt;
      }
    }
  }
  const std::vector<Vector>& results = network_.groups[found.group].results;
  const auto read = std::count_if(results.begin(), results.end(), [&](Vector v) {
    return made_[v].block == found.block && made_[v].reads != 0;
  });
  if (static_cast<std::size_t>(read) != pool.pixels * found.window) return std::nullopt;
  return found;
}

/// The blocks of the sum with the maxima of their windows as results. Pixel q of the sum is the
/// (q % window)-th of the window of result q / window.
Group Pooling::pooled(std::size_t number, const Group& pool, const std::vector<Source>& sources,
                      const std::vector<std::uint32_t>& blocks) const {
  const Group& sum = network_.groups[number];
  Group group = sum;
  group.name = sum.name + "+" + pool.name;
  group.nodes.insert(group.nodes.end(), pool.nodes.begin(), pool.nodes.end());
  group.macs = sum.macs / sum.blocks * blocks.size();
  group.window = static_cast<std::uint32_t>(sources[blocks.front()].window);
  group.pixels = pool.pixels;
  group.blocks = static_cast<std::uint32_t>(blocks.size());
  std::vector<std::uint32_t> new_block(sum.blocks, no_vector);
  std::vector<std::uint32_t> new_pixel(sum.pixels, no_vector);
  for (std::uint32_t b = 0; b < blocks.size(); ++b) new_block[sources[blocks[b]].block] = b;
  group.results.clear();
  for (std::uint32_t p = 0; p < pool.pixels; ++p) {
    for (const std::uint32_t b : blocks) {
      const std::size_t at = std::size_t{p} * pool.blocks + b;
      group.results.push_back(pool.results[at]);
      for (std::uint32_t k = 0; k < group.window; ++k) {
        new_pixel[made_[pool.windows[at][k]].pixel] = p * group.window + k;
      }
    }
  }
  renumber(group, new_pixel, new_block);
  const auto rows = [&](const std::vector<float>& all) {
    std::vector<float> kept;
    for (std::size_t b = 0; b < blocks.size() && !all.empty(); ++b) {
      const auto first =
          all.begin() +
          static_cast<std::ptrdiff_t>(std::size_t{sources[blocks[b]].block} * network_.graph.n);
      kept.insert(kept.end(), first, first + network_.graph.n);
    }
    return kept;
  };
  for_rows(group, [&](std::vector<float>& row) { row = rows(row); });
  return group;
}

void Pooling::take(std::size_t number, std::map<std::size_t, std::vector<Group>>& made) {
  const Group& pool = network_.groups[number];
  std::vector<Source> sources(pool.blocks);
  std::map<std::size_t, std::vector<std::uint32_t>> taken;  // blocks of the pool, by sum
  for (std::uint32_t b = 0; b < pool.blocks; ++b) {
    if (const auto found = source(pool, b)) {
      sources[b] = *found;
      std::vector<std::uint32_t>& blocks = taken[found->group];
      // Windows of all blocks of a group are alike, and no block is pooled twice.
      const bool alike = std::all_of(blocks.begin(), blocks.end(), [&](std::uint32_t other) {
        if (sources[other].window != found->window || sources[other].block == found->block) {
          return false;
        }
        for (std::uint32_t p = 0; p < pool.pixels; ++p) {
          const auto& x = pool.windows[std::size_t{p} * pool.blocks + b];
          const auto& y = pool.windows[std::size_t{p} * pool.blocks + other];
          for (std::size_t k = 0; k < x.size(); ++k) {
            if (made_[x[k]].pixel != made_[y[k]].pixel) return false;
          }
        }
        return true;
      });
      if (alike) blocks.push_back(b);
    }
  }
  for (const auto& [sum, blocks] : taken) {
    if (blocks.empty()) continue;
    made[sum].push_back(pooled(sum, pool, sources, blocks));
    for (const std::uint32_t b : blocks) {
      for (std::uint32_t p = 0; p < pool.pixels; ++p) {
        live_[pool.results[std::size_t{p} * pool.blocks + b]] = false;
      }
      for (const Vector v : network_.groups[sum].results) {
        if (made_[v].block == sources[b].block) live_[v] = false;
      }
    }
  }
}

}  // namespace

void pool_sums(Network& network) { Pooling(network).run(); }

}  // namespace tactus::compiler::optimise
