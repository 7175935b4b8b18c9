// A node written as other nodes.
//
// What an operator computes is often what others compute together: a Sum is Adds, a Conv along one
// dimension a Conv of images of height 1. An expansion writes those nodes; they are planned one
// after the other in the node's place, as if the model had them. The one that writes the node's
// first output bears its name.
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

  /// A node in between; returns the name of its output. Operators are those of ONNX, or of
  /// internal_operators().
  std::string node(const std::string& op, Inputs inputs, Attributes attributes = {});
  /// The node that writes an output of the expanded node.
  void result(std::size_t output, const std::string& op, Inputs inputs, Attributes attributes = {});
  /// The node that writes the first one.
  void last(const std::string& op, Inputs inputs, Attributes attributes = {}) {
    result(0, op, std::move(inputs), std::move(attributes));
  }
  /// Like an initializer of the model.
  std::string constant(nn::Tensor tensor);
  std::string constant(float value) { return constant(nn::Tensor::of({}, std::vector{value})); }
  std::string constant(std::vector<std::int64_t> values);

  [[nodiscard]] const std::vector<const nn::Node*>& nodes() const { return nodes_; }

 private:
  nn::Node& add(const std::string& op, Inputs inputs, Attributes attributes);

  Planner& planner_;
  std::vector<const nn::Node*> nodes_;
};

/// Internal operator: the input, broadcast to attribute `shape` if there is one, with its
/// dimensions in the attribute `order` in memory (see Layout). Elements that have to change lanes
/// are moved by products with 0/1 matrices.
inline constexpr const char* relayout = "lay out";
/// Internal operator: AveragePool whose sums are multiplied by the attribute `factor`.
inline constexpr const char* sum_pool = "sum pool";

/// Attribute of a MatMul by ones and zeroes that only moves elements: none of its
/// multiply-accumulates is one that the model asks for.
inline constexpr const char* moves_only = "moves only";

/// Another shape, in the order of the model whatever reads it.
[[nodiscard]] std::string plainly_reshaped(Expansion& e, const std::string& x, nn::Shape shape);

/// The input as an image, N C H W with the channels innermost in memory: `value` itself if it is
/// one, else a node that lays it out so.
[[nodiscard]] std::string as_image(Planner& p, Expansion& e, std::size_t input);

/// For operators on images: rows N C W become images of height 1, images that lie otherwise in
/// memory are laid out. False if input 0 is an image already, or nothing of these.
[[nodiscard]] bool expand_to_image(Planner& p, Expansion& e);

}  // namespace tactus::compiler
