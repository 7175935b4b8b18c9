// Expansion of a node into other nodes.
//
// Many operators can be written as other operators: a Sum as Adds, a one-dimensional Conv as a Conv
// of images of height 1. An expansion writes these nodes. They are planned one after the other in
// place of the node, as if they were in the model. The node that writes the first output has the
// expanded node's name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "firmware/compiler/frontend/planner.h"
#include "firmware/onnx/graph.h"

namespace tactus::compiler {

class Expansion {
 public:
  using Attributes = std::map<std::string, nn::Attribute, std::less<>>;
  using Inputs = std::vector<std::string>;

  explicit Expansion(Planner& planner) : planner_(planner) {}

  /// Adds an intermediate node and returns the name of its output. Its operator is one of ONNX or
  /// of internal_operators().
  std::string node(const std::string& op, Inputs inputs, Attributes attributes = {});
  /// Adds the node that writes an output of the expanded node.
  void result(std::size_t output, const std::string& op, Inputs inputs, Attributes attributes = {});
  /// Adds the node that writes the first output.
  void last(const std::string& op, Inputs inputs, Attributes attributes = {}) {
    result(0, op, std::move(inputs), std::move(attributes));
  }
  /// Adds a constant, like an initializer of the model.
  std::string constant(nn::Tensor tensor);
  std::string constant(float value) { return constant(nn::Tensor::of({}, std::vector{value})); }
  std::string constant(std::vector<std::int64_t> values);

  [[nodiscard]] const std::vector<const nn::Node*>& nodes() const { return nodes_; }

 private:
  nn::Node& add(const std::string& op, Inputs inputs, Attributes attributes);

  Planner& planner_;
  std::vector<const nn::Node*> nodes_;
};

/// Internal operator: the input with its dimensions in memory in the order of attribute `order`
/// (see Layout), broadcast to attribute `shape` if given. Elements that change lanes are moved by
/// products with 0/1 matrices.
inline constexpr const char* relayout = "lay out";
/// Internal operator: sums of the pixels of windows, each pixel times attribute `weight`. Attribute
/// `factors` has constants that multiply a sum, one after the other: as many as attribute
/// `constants` says (default: all) for each window, or once for all windows. With attribute `joins
/// the layer before` the sums may be part of the layer that makes the operand.
inline constexpr const char* sum_pool = "sum pool";

/// Attribute of a MatMul with a matrix of zeroes and ones that only moves elements. Its multiply-
/// accumulates do not count as the model's.
inline constexpr const char* moves_only = "moves only";

/// Reshapes a value; the result has the model's order in memory, whichever operator reads it.
[[nodiscard]] std::string plainly_reshaped(Expansion& e, const std::string& x, nn::Shape shape);

/// Clips a value between two numbers, in the form of the model's operator set.
[[nodiscard]] std::string clipped(const Planner& p, Expansion& e, const std::string& x, float low,
                                  float high);

/// Returns the input as an image: N C H W with the channels innermost in memory. Adds a node that
/// changes the layout if necessary.
[[nodiscard]] std::string as_image(Planner& p, Expansion& e, std::size_t input);

/// For operators on images: makes images of height 1 of rows N C W, and changes the layout of
/// images with another order. Returns false if input 0 is an image already, or is neither.
[[nodiscard]] bool expand_to_image(Planner& p, Expansion& e);
/// The same for operators whose constants, `axes` and `scales` are about all dimensions.
[[nodiscard]] bool expand_resized_to_image(Planner& p, Expansion& e);

}  // namespace tactus::compiler
