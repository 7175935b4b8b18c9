#include "firmware/compiler/frontend/operators/matrices.h"

#include <algorithm>

namespace tactus::compiler {

Addresses weights_constant(Emitter& e, const std::string& name, const WeightShape& shape,
                           const FillRow& fill) {
  const std::uint32_t n = e.array_size();
  const std::size_t blocks = shape.output_blocks(n);
  std::vector<float> rows(n * blocks * n);  // rows of one input block
  std::vector<float> lanes;
  std::vector<bool> kept;  // by tap, input block and output block
  const auto block = [&](std::size_t row, std::size_t b) {
    return rows.begin() + static_cast<std::ptrdiff_t>((row * blocks + b) * n);
  };
  for (std::int64_t tap = 0; tap < shape.taps; ++tap) {
    for (std::int64_t first = 0; first < shape.inputs; first += n) {
      std::fill(rows.begin(), rows.end(), 0.0F);
      const std::int64_t end = std::min<std::int64_t>(shape.inputs, first + n);
      for (std::int64_t input = first; input < end; ++input) {
        fill(tap, input, &*block(static_cast<std::size_t>(input - first), 0));
      }
      const std::size_t before = kept.size();
      for (std::size_t b = 0; b < blocks; ++b) {
        bool any = e.model().compat;
        for (std::size_t row = 0; row < n && !any; ++row) {
          any = std::any_of(block(row, b), block(row, b) + n, [](float w) { return w != 0.0F; });
        }
        kept.push_back(any);
      }
      for (std::size_t row = 0; row < n; ++row) {
        for (std::size_t b = 0; b < blocks; ++b) {
          if (kept[before + b]) lanes.insert(lanes.end(), block(row, b), block(row, b) + n);
        }
      }
    }
  }
  const Dims dims{static_cast<std::uint64_t>(shape.taps), static_cast<std::uint64_t>(shape.inputs),
                  static_cast<std::uint64_t>(shape.outputs)};
  Addresses stored;
  if (!lanes.empty())
    stored = e.constant(name, dims, lanes.size() / n, [&] { return std::move(lanes); });
  Addresses all;
  all.reserve(static_cast<std::size_t>(shape.taps) * shape.vectors_of_tap(n));
  std::size_t next = 0;
  for (std::size_t before = 0; before < kept.size(); before += blocks) {
    for (std::size_t row = 0; row < n; ++row) {
      for (std::size_t b = 0; b < blocks; ++b) {
        all.push_back(kept[before + b] ? stored[next++] : Address::zeroes());
      }
    }
  }
  return all;
}

hir::MatMul product_of_tap(const Emitter& e, const WeightShape& shape, std::int64_t tap,
                           const Addresses& weights, Addresses inputs, Addresses outputs) {
  const std::uint32_t n = e.array_size();
  hir::MatMul product;
  product.input_blocks = shape.input_blocks(n);
  product.output_blocks = shape.output_blocks(n);
  const auto first = weights.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(tap) *
                                                                   shape.vectors_of_tap(n));
  product.weights.assign(first, first + static_cast<std::ptrdiff_t>(shape.vectors_of_tap(n)));
  product.inputs = std::move(inputs);
  product.outputs = std::move(outputs);
  return product;
}

}  // namespace tactus::compiler
