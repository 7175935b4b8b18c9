// Nodes that multiply by constants, read from a graph as the standard defines them: products with
// constant weights, and maps of the channels of a value.
//
// Readers: folding of constants into products (firmware/compiler/frontend/folded_products.h) and
// the choice of scales (firmware/compiler/scaling/network.h). The check of a run reads its graph
// for itself (firmware/bench).
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Returns a constant of the graph that may be used, or null.
using FindConstant = std::function<const Tensor*(const std::string& name)>;

/// Conv, ConvTranspose, Gemm or MatMul whose second input is constant.
struct ConstantProduct {
  bool is_convolution = false, is_transposed = false, is_matmul = false;
  std::size_t inputs = 0, outputs = 0, groups = 1, taps = 1;
  Shape shape;  ///< of the weights
  /// Their first dimension counts output channels, the second one input channels of a group;
  /// otherwise the other way round.
  bool outputs_first = false;
  const Tensor* weights = nullptr;
  bool has_addend = false;         ///< a third input
  const Tensor* addend = nullptr;  ///< that input; null: there is none, or no usable constant
  double alpha = 1, beta = 1;      ///< of Gemm: factors of the weights and of the addend

  /// Calls visit(output channel, input channel, weight times alpha) in the order of the weights.
  template <typename Visit>
  void for_weights(const Visit& visit) const {
    const auto rows = static_cast<std::size_t>(shape[0]);
    const auto columns = static_cast<std::size_t>(shape[1]);
    const std::vector<float> values = weights->reals();
    for (std::size_t i = 0; i < values.size(); ++i) {
      const std::size_t row = i / (columns * taps), column = i / taps % columns;
      const std::size_t other = row / (rows / groups) * columns + column;
      const double value = static_cast<double>(values[i]) * alpha;
      outputs_first ? visit(row, other, value) : visit(other, row, value);
    }
  }
};

/// Returns nothing for nodes of other operators, with other sizes, or with a turned first operand.
[[nodiscard]] std::optional<ConstantProduct> read_product(const Node& node,
                                                          const FindConstant& find);

/// What a node does to each channel: x * factor + offset. The lists have one value for all channels
/// or one for each.
struct ChannelMap {
  std::vector<double> factor{1}, offset{0};

  [[nodiscard]] double factor_of(std::size_t channel) const {
    return factor[factor.size() == 1 ? 0 : channel];
  }
  [[nodiscard]] double offset_of(std::size_t channel) const {
    return offset[offset.size() == 1 ? 0 : channel];
  }
  [[nodiscard]] bool has_offset() const;
  [[nodiscard]] bool finite() const;
};

/// Reads a BatchNormalization with constant parameters for this number of channels.
[[nodiscard]] std::optional<ChannelMap> read_normalisation(const Node& node, std::size_t channels,
                                                           const FindConstant& find);

}  // namespace tactus::nn
