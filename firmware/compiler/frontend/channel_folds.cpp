#include "firmware/compiler/frontend/channel_folds.h"

namespace tactus::compiler {
namespace {

/// Reads the bias of a convolution or the addend of a Gemm, times beta.
bool read_addend(FoldedProduct& product) {
  const nn::Tensor* addend = product.addend;
  if (addend == nullptr || addend->shape.size() > 2) return false;
  const std::size_t columns =
      addend->shape.empty() ? 1 : static_cast<std::size_t>(addend->shape.back());
  const std::size_t rows = addend->floats.size() / columns;
  if (columns != product.outputs && (columns != 1 || product.is_convolution)) return false;
  for (std::size_t row = 0; row < rows; ++row) {
    for (std::size_t k = 0; k < product.outputs; ++k) {
      const std::size_t at = row * columns + (columns == 1 ? 0 : k);
      product.bias.push_back(product.beta * static_cast<double>(addend->floats[at]));
    }
  }
  product.bias_shape = {static_cast<std::int64_t>(product.outputs)};
  if (rows != 1) product.bias_shape.insert(product.bias_shape.begin(), addend->shape.front());
  return true;
}

}  // namespace

std::vector<float> to_floats(const std::vector<double>& values) {
  return {values.begin(), values.end()};
}

std::vector<double> to_doubles(const std::vector<float>& values) {
  return {values.begin(), values.end()};
}

bool read_constants(FoldedProduct& product) {
  product.for_weights([&](std::size_t output, std::size_t input, double value) {
    product.values.push_back(value);
    product.output_of.push_back(output);
    product.input_of.push_back(input);
  });
  return !product.has_addend || read_addend(product);
}

void fold_before(FoldedProduct& product, const nn::ChannelMap& map) {
  if (map.has_offset()) {
    if (product.bias.empty()) {
      product.bias.assign(product.outputs, 0);
      product.bias_shape = {static_cast<std::int64_t>(product.outputs)};
    }
    std::vector<double> sums(product.outputs, 0);
    for (std::size_t i = 0; i < product.values.size(); ++i) {
      sums[product.output_of[i]] += product.values[i] * map.offset_of(product.input_of[i]);
    }
    for (std::size_t k = 0; k < product.bias.size(); ++k) {
      product.bias[k] += sums[k % product.outputs];
    }
  }
  for (std::size_t i = 0; i < product.values.size(); ++i) {
    product.values[i] *= map.factor_of(product.input_of[i]);
  }
}

void fold_behind(FoldedProduct& product, const nn::ChannelMap& map) {
  for (std::size_t i = 0; i < product.values.size(); ++i) {
    product.values[i] *= map.factor_of(product.output_of[i]);
  }
  if (product.bias.empty() && map.has_offset()) {
    product.bias.assign(product.outputs, 0);
    product.bias_shape = {static_cast<std::int64_t>(product.outputs)};
  }
  for (std::size_t k = 0; k < product.bias.size(); ++k) {
    const std::size_t channel = k % product.outputs;
    product.bias[k] = product.bias[k] * map.factor_of(channel) + map.offset_of(channel);
  }
}

ProductConstants constants_of(const FoldedProduct& product) {
  ProductConstants constants;
  constants.weights.resize(product.outputs);
  for (std::size_t i = 0; i < product.values.size(); ++i) {
    constants.weights[product.output_of[i]].push_back(static_cast<float>(product.values[i]));
  }
  constants.bias = to_floats(product.bias);
  return constants;
}

}  // namespace tactus::compiler
