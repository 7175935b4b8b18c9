// Computes ONNX graphs in the unit's fixed-point arithmetic, directly from the graph. A compiled
// program must compute the same values, bit for bit, with any strategy and any memories.
//
// This code shares nothing with the compiler but the arithmetic of isa/tcu. The order of operations
// is that of toolchain spec 3.8 and 5.2:
// * Products (Conv, Gemm, MatMul): for each tap, rows before columns, and each block of N inputs, a
//   chain of N multiply-accumulates from the bias (first tap, last block that is not all zero) or
//   zero; the chains are added up with saturation. Groups are one matrix with blocks of zeroes. A
//   product of a flattened image takes its inputs in the image's order in memory (NHWC) if the
//   channels are whole vectors.
// * A normalisation is x * scale + offset, LeakyRelu max(alpha x, x), a mean the sum of the
//   window's pixels times the rounded reciprocal of their number.
// * Linear resizing adds up to four pixels times their rounded weights; equal pixels count once.
// * Softmax is left to the host: its output equals its input.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"
#include "firmware/reference/reference.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::nn {

struct FixedTensor {
  Shape shape;
  std::vector<std::int64_t> mantissas;  ///< row-major
};

using FixedValues = std::map<std::string, FixedTensor, std::less<>>;

class FixedPointModel {
 public:
  /// `array_size` is N, the length of a chain.
  FixedPointModel(tcu::DataType type, std::int64_t array_size)
      : type_(type), array_size_(array_size) {}

  /// Returns all values of the graph, in the form of run_reference(). Inputs are quantised.
  [[nodiscard]] FixedValues run(const Graph& graph, const Values& inputs) const;

 private:
  class Evaluation;
  tcu::DataType type_;
  std::int64_t array_size_;
};

/// Returns the real values of mantissas.
[[nodiscard]] Tensor to_real(tcu::DataType type, const FixedTensor& fixed);

/// A bound of about half a step, with which means are one sum and one factor, as this model has
/// them. Means in stages are compared with HIR's definition (FreeNumbers).
[[nodiscard]] double bound_for_one_sum(tcu::DataType type);

}  // namespace tactus::nn
