#include "firmware/onnx/constant_products.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace tactus::nn {

std::optional<ConstantProduct> read_product(const Node& node, const FindConstant& find) {
  ConstantProduct product;
  product.is_transposed = node.op_type == "ConvTranspose";
  product.is_convolution = node.op_type == "Conv" || product.is_transposed;
  product.is_matmul = node.op_type == "MatMul";
  if (!product.is_convolution && !product.is_matmul && node.op_type != "Gemm") return std::nullopt;
  if (!node.domain.empty() || node.inputs.size() < 2 || node.outputs.size() != 1) return {};
  product.weights = find(node.inputs[1]);
  if (product.weights == nullptr) return std::nullopt;
  const Shape& shape = product.shape = product.weights->shape;
  if (product.is_convolution ? shape.size() < 3 : shape.size() != 2) return std::nullopt;
  const std::int64_t groups = node.integer("group", 1);
  if (groups < 1 || shape[0] % groups != 0 || node.integer("transA", 0) != 0) return std::nullopt;
  product.groups = static_cast<std::size_t>(groups);
  product.outputs_first = node.op_type == "Conv" || node.integer("transB", 0) != 0;
  const auto rows = static_cast<std::size_t>(shape[0]);
  const std::size_t columns = static_cast<std::size_t>(shape[1]) * product.groups;
  product.outputs = product.outputs_first ? rows : columns;
  product.inputs = product.outputs_first ? columns : rows;
  for (std::size_t k = 2; k < shape.size(); ++k) product.taps *= static_cast<std::size_t>(shape[k]);
  product.has_addend = !product.is_matmul && !node.input(2).empty();
  if (product.has_addend) product.addend = find(node.inputs[2]);
  product.alpha = static_cast<double>(node.real("alpha", 1.0F));
  product.beta = static_cast<double>(node.real("beta", 1.0F));
  return product;
}

bool ChannelMap::has_offset() const {
  return std::any_of(offset.begin(), offset.end(), [](double o) { return o != 0; });
}

bool ChannelMap::finite() const {
  const auto is_finite = [](double v) { return std::isfinite(v); };
  return std::all_of(factor.begin(), factor.end(), is_finite) &&
         std::all_of(offset.begin(), offset.end(), is_finite);
}

std::optional<ChannelMap> read_normalisation(const Node& node, std::size_t channels,
                                             const FindConstant& find) {
  if (node.op_type != "BatchNormalization" || node.inputs.size() != 5) return std::nullopt;
  if (node.integer("training_mode", 0) != 0 || node.integer("spatial", 1) != 1) return {};
  std::vector<std::vector<float>> parameters;
  for (std::size_t k = 1; k < 5; ++k) {
    const Tensor* parameter = find(node.inputs[k]);
    if (parameter == nullptr) return std::nullopt;
    parameters.push_back(parameter->reals());
    if (parameters.back().size() != channels) return std::nullopt;
  }
  const auto epsilon = static_cast<double>(node.real("epsilon", 1e-5F));
  ChannelMap map{{}, {}};
  for (std::size_t c = 0; c < channels; ++c) {
    const auto value = [&](std::size_t k) { return static_cast<double>(parameters[k][c]); };
    map.factor.push_back(value(0) / std::sqrt(value(3) + epsilon));
    map.offset.push_back(value(1) - value(2) * map.factor.back());
  }
  return map;
}

}  // namespace tactus::nn
