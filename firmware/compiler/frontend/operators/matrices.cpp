#include "firmware/compiler/frontend/operators/matrices.h"

namespace tactus::compiler {

const Addresses& weights_constant(Emitter& e, const std::string& name, const WeightShape& shape,
                                  const FillRow& fill) {
  const std::uint32_t n = e.array_size();
  const std::size_t count = static_cast<std::size_t>(shape.taps) * shape.vectors_of_tap(n);
  const Dims dims{static_cast<std::uint64_t>(shape.taps), static_cast<std::uint64_t>(shape.inputs),
                  static_cast<std::uint64_t>(shape.outputs)};
  return e.constant(name, dims, count, [&] {
    std::vector<float> lanes(count * n);
    const std::size_t row = std::size_t{shape.output_blocks(n)} * n;
    const std::size_t rows = std::size_t{shape.input_blocks(n)} * n;
    for (std::int64_t tap = 0; tap < shape.taps; ++tap) {
      for (std::int64_t input = 0; input < shape.inputs; ++input) {
        const std::size_t at =
            (static_cast<std::size_t>(tap) * rows + static_cast<std::size_t>(input)) * row;
        fill(tap, input, lanes.data() + at);
      }
    }
    return lanes;
  });
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
  product.true_macs = static_cast<std::uint64_t>(shape.inputs * shape.outputs);
  return product;
}

}  // namespace tactus::compiler
