// Results that nobody reads.
#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/rewrites.h"

namespace tactus::compiler::optimise {
namespace {

/// Results of a group that are live, with new numbers for old pixels and blocks.
struct Survivors {
  std::vector<std::uint32_t> pixels, blocks;  ///< new number, or no_vector
  std::uint32_t pixel_count = 0, block_count = 0;
};

Survivors survivors(const Group& group, const std::vector<bool>& live) {
  Survivors s;
  s.pixels.assign(group.pixels, no_vector);
  s.blocks.assign(group.blocks, no_vector);
  for (std::uint32_t p = 0; p < group.pixels; ++p) {
    for (std::uint32_t b = 0; b < group.blocks; ++b) {
      if (!live[group.results[p * group.blocks + b]]) continue;
      s.pixels[p] = s.blocks[b] = 0;
    }
  }
  for (std::uint32_t& p : s.pixels) {
    if (p == 0) p = s.pixel_count++;
  }
  for (std::uint32_t& b : s.blocks) {
    if (b == 0) b = s.block_count++;
  }
  return s;
}

std::vector<float> kept_rows(const std::vector<float>& rows, const Survivors& s, std::uint32_t n) {
  std::vector<float> kept;
  for (std::size_t b = 0; b < s.blocks.size() && !rows.empty(); ++b) {
    if (s.blocks[b] == no_vector) continue;
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(b * n);
    kept.insert(kept.end(), first, first + n);
  }
  return kept;
}

void shrink(Group& group, const Survivors& s, std::uint32_t n) {
  if (s.pixel_count == group.pixels && s.block_count == group.blocks) return;
  std::vector<Vector> results;
  std::vector<std::vector<Vector>> windows;
  for (std::uint32_t p = 0; p < group.pixels; ++p) {
    for (std::uint32_t b = 0; b < group.blocks; ++b) {
      if (s.pixels[p] == no_vector || s.blocks[b] == no_vector) continue;
      const std::size_t at = p * group.blocks + b;
      results.push_back(group.results[at]);
      if (!group.windows.empty()) windows.push_back(std::move(group.windows[at]));
    }
  }
  renumber(group, s.pixels, s.blocks);
  for_rows(group, [&](std::vector<float>& row) { row = kept_rows(row, s, n); });
  group.results = std::move(results);
  group.windows = std::move(windows);
  group.pixels = s.pixel_count;
  group.blocks = s.block_count;
}

}  // namespace

void drop_dead(Group& group, const std::vector<bool>& live, std::uint32_t n) {
  const Survivors left = survivors(group, live);
  if (group.blocks != 0) group.macs = group.macs / group.blocks * left.block_count;
  shrink(group, left, n);
}

void renumber(Group& group, const std::vector<std::uint32_t>& pixels,
              const std::vector<std::uint32_t>& blocks) {
  std::vector<std::pair<std::uint32_t, Vector>> entries;
  for (Part& part : group.parts) {
    entries.clear();
    for (std::size_t i = 0; i < part.pixels.size(); ++i) {
      const std::uint32_t pixel = pixels[part.pixels[i]];
      if (pixel != no_vector) entries.emplace_back(pixel, part.inputs[i]);
    }
    std::sort(entries.begin(), entries.end());
    part.inputs.clear();
    part.pixels.clear();
    for (const auto& [pixel, input] : entries) {
      part.pixels.push_back(pixel);
      part.inputs.push_back(input);
    }
    std::vector<Column> columns;
    for (Column column : part.columns) {
      column.block = blocks[column.block];
      if (column.block != no_vector) columns.push_back(column);
    }
    part.columns = std::move(columns);
  }
  group.parts.erase(
      std::remove_if(group.parts.begin(), group.parts.end(),
                     [](const Part& part) { return part.inputs.empty() || part.columns.empty(); }),
      group.parts.end());
}

void drop_unread(Network& network) {
  std::vector<bool> live(network.graph.constants.size(), false);
  const auto mark = [&](const std::vector<Vector>& vectors) {
    for (const Vector v : vectors) {
      if (v != no_vector) live[v] = true;
    }
  };
  for (const Tensor& output : network.graph.outputs) mark(output.vectors);
  for (std::size_t g = network.groups.size(); g-- > 0;) {
    Group& group = network.groups[g];
    shrink(group, survivors(group, live), network.graph.n);
    for (const Part& part : group.parts) {
      mark(part.inputs);
      for (const Column& column : part.columns) mark(column.rows);
    }
    for (const auto& window : group.windows) mark(window);
  }
  network.groups.erase(std::remove_if(network.groups.begin(), network.groups.end(),
                                      [](const Group& g) { return g.pixels == 0; }),
                       network.groups.end());
}

}  // namespace tactus::compiler::optimise
