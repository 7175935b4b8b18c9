// A product with constant weights into which maps of the channels before and behind it are folded.
//
// Weights and biases are kept in double precision until the product is written.
#pragma once

#include <cstddef>
#include <vector>

#include "firmware/compiler/frontend/folded_products.h"
#include "firmware/onnx/constant_products.h"

namespace tactus::compiler {

/// A node around a product: what it does to the channels.
struct Neighbour {
  std::size_t node = 0;
  nn::ChannelMap map;
  std::vector<float> factors, summands;  ///< as in ProductConstants; empty: it has none
};

/// A product. Its constants, in double precision, are read if there is a node around it.
struct FoldedProduct : nn::ConstantProduct {
  std::size_t node = 0;
  bool has_padding = false;
  std::size_t rank = 0;                          ///< of the result; 0: unknown
  std::vector<double> values, bias;              ///< weights and bias, times alpha and beta
  nn::Shape bias_shape;                          ///< empty: no bias; columns are output channels
  std::vector<std::size_t> input_of, output_of;  ///< channels of each weight
};

/// Reads the weights and the bias. False if there is a bias of another form than those that are
/// folded.
[[nodiscard]] bool read_constants(FoldedProduct& product);

/// Adds what the map before the product contributes to weights and bias.
void fold_before(FoldedProduct& product, const nn::ChannelMap& map);
void fold_behind(FoldedProduct& product, const nn::ChannelMap& map);

/// The constants in the form of which the losses are counted.
[[nodiscard]] ProductConstants constants_of(const FoldedProduct& product);

[[nodiscard]] std::vector<float> to_floats(const std::vector<double>& values);
[[nodiscard]] std::vector<double> to_doubles(const std::vector<float>& values);

}  // namespace tactus::compiler
