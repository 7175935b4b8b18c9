// Resamplings as HIR: sums of up to four weighted pixels.
#include <algorithm>
#include <array>
#include <map>
#include <unordered_map>
#include <utility>

#include "firmware/compiler/frontend/enumerate.h"

namespace tactus::compiler {
namespace {

/// One output pixel: input pixels and their weights.
struct WeightedPixels {
  std::vector<std::int64_t> pixels;
  std::vector<float> weights;
};

WeightedPixels pixels_of(const Resampling::Pair& row, const Resampling::Pair& column,
                         std::int64_t width, bool keep_all) {
  const std::array<std::int64_t, 4> pixels{
      row.first * width + column.first, row.second * width + column.first,
      row.first * width + column.second, row.second * width + column.second};
  const std::array<float, 4> weights{(1 - row.weight) * (1 - column.weight),
                                     row.weight * (1 - column.weight),
                                     (1 - row.weight) * column.weight, row.weight * column.weight};
  WeightedPixels result;
  for (std::size_t k = 0; k < 4; ++k) {
    const auto same = std::find(result.pixels.begin(), result.pixels.end(), pixels[k]);
    if (keep_all || (weights[k] != 0.0F && same == result.pixels.end())) {
      result.pixels.push_back(pixels[k]);
      result.weights.push_back(weights[k]);
    } else if (same != result.pixels.end()) {
      result.weights[static_cast<std::size_t>(same - result.pixels.begin())] += weights[k];
    }
  }
  return result;
}

}  // namespace

void enumerate(Emitter& e, const Resampling& nest) {
  const Layout& from = *e.model().value(nest.value).layout;
  const std::int64_t blocks = from.blocks(e.array_size());
  const Addresses x = e.temps(nest.value);
  std::vector<WeightedPixels> windows;
  Addresses weight_vectors;  // each different weight once
  std::unordered_map<float, std::size_t> weight_number;
  for (const Resampling::Pair& row : nest.axes[0]) {
    for (const Resampling::Pair& column : nest.axes[1]) {
      // The reference keeps pixels of weight 0.
      windows.push_back(pixels_of(row, column, from.shape[3], e.model().compat));
      for (const float weight : windows.back().weights) {
        if (weight_number.emplace(weight, weight_vectors.size()).second) {
          weight_vectors.push_back(e.splat(weight).front());
        }
      }
    }
  }
  const Addresses weights = e.load(weight_vectors);
  const Addresses y = e.allocate(windows.size() * static_cast<std::size_t>(from.shape[0] * blocks));

  // Pixels with equal numbers of terms become one operation.
  std::map<std::size_t, std::pair<std::vector<Addresses>, Addresses>> groups;
  std::size_t next = 0;
  for (std::int64_t image = 0; image < from.shape[0]; ++image) {
    const std::int64_t first = image * from.shape[2] * from.shape[3];
    for (const WeightedPixels& window : windows) {
      auto& [operands, results] = groups[window.pixels.size()];
      operands.resize(2 * window.pixels.size());
      for (std::int64_t block = 0; block < blocks; ++block) {
        for (std::size_t k = 0; k < window.pixels.size(); ++k) {
          operands[2 * k].push_back(
              x[static_cast<std::size_t>((first + window.pixels[k]) * blocks + block)]);
          operands[2 * k + 1].push_back(weights[weight_number.at(window.weights[k])]);
        }
        results.push_back(y[next++]);
      }
    }
  }
  for (auto& [count, group] : groups) {
    e.hir().add(hir::Kind::interpolate, std::move(group.first), std::move(group.second));
  }
  e.result(nest.result, y);
}

}  // namespace tactus::compiler
