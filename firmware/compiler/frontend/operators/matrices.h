// Weights in the array's order, and the products that use them.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/loop_nest.h"

namespace tactus::compiler {

/// A stack of `taps` matrices of inputs x outputs. In memory: tap by tap, rows padded to whole
/// blocks, each row ceil(outputs/N) vectors (spec 1.4).
struct WeightShape {
  std::int64_t taps = 1, inputs = 0, outputs = 0;

  [[nodiscard]] std::uint32_t input_blocks(std::uint32_t n) const {
    return static_cast<std::uint32_t>((inputs + n - 1) / n);
  }
  [[nodiscard]] std::uint32_t output_blocks(std::uint32_t n) const {
    return static_cast<std::uint32_t>((outputs + n - 1) / n);
  }
  [[nodiscard]] std::size_t vectors_of_tap(std::uint32_t n) const {
    return std::size_t{input_blocks(n)} * n * output_blocks(n);
  }
};

/// The weights' vectors: taps * vectors_of_tap(N). Blocks of N x N weights that are all zero are
/// not stored, their vectors are Zeroes; programs for compat store them.
[[nodiscard]] Addresses weights_constant(Emitter& e, const std::string& name,
                                         const WeightShape& shape, const FillRow& fill);

/// One tap's product for each pair.
[[nodiscard]] hir::MatMul product_of_tap(const Emitter& e, const WeightShape& shape,
                                         std::int64_t tap, const Addresses& weights,
                                         Addresses inputs, Addresses outputs);

}  // namespace tactus::compiler
