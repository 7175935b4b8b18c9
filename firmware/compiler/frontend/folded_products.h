// Constants around products become part of the products' weights and biases, as a rewriting of the
// model's graph.
//
// A product is a Conv or ConvTranspose (any groups), a Gemm with transA = 0, or a MatMul, with
// constant weights on the right (of rank 2 for a MatMul). Nodes that can be folded into it are
// BatchNormalization (inference), Mul, Add, Sub and Div by constants with one value or one for each
// channel:
// * behind the product, if the product's result has no other reader and is no output;
// * before the product, likewise; a summand only if the product has no padding, is no
//   ConvTranspose and no MatMul.
// A MatMul has no bias: the summands behind it stay one Add.
//
// The rewritten graph computes the same values in real numbers. Results of folded products have the
// name of the last folded node's result.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// The constants of a product and of the nodes around it.
struct ProductConstants {
  std::vector<std::vector<float>> weights;  ///< by output channel
  std::vector<float> bias;                  ///< empty: none
  /// Constants of each node around the product, before folding: one value or one for each channel.
  /// A divisor counts as the factor by which the machine multiplies.
  std::vector<std::vector<float>> factors, summands;
};

/// A product and the nodes that can be folded into it.
struct ProductFold {
  const nn::Node* product = nullptr;
  std::vector<const nn::Node*> nodes;  ///< those before it, then those behind it
  ProductConstants apart, together;    ///< before and after folding
};

using WantsFold = std::function<bool(const ProductFold&)>;

/// Returns the graph in which those products are folded for which `wants` is true; nothing if there
/// are none. `wants` is asked for each product with all nodes around it, and if it declines, with
/// fewer. `outputs` are the requested tensors; empty: the graph's outputs.
[[nodiscard]] std::optional<nn::Graph> fold_products(const nn::Graph& graph, const WantsFold& wants,
                                                     const std::vector<std::string>& outputs = {});

}  // namespace tactus::compiler
