// Interface through which operators translate their node to ONNX operators.
//
// A value has up to two forms in the new graph: `plain`, with the dimensions of TensorFlow's
// tensor, and, for four-dimensional tensors, `image`, the elements of an N H W C tensor as N C H W.
// Operators use the form they need; the other is made by a Transpose only on demand. Nodes whose
// operands are all constants are computed immediately and become constants.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "firmware/onnx/graph.h"
#include "firmware/tensorflow/graph_def.h"
#include "isa/support/error.h"

namespace tactus::tf {

struct Unbatched;

struct Value {
  nn::Shape shape;  ///< shape of TensorFlow's tensor
  nn::ElementType type = nn::ElementType::float32;
  std::int32_t stored = 0;  ///< as in nn::Tensor
  std::string plain;        ///< name in the new graph; empty: not made yet
  std::string image;
  bool dead = false;    ///< in the branch of a Switch that is not taken
  bool shared = false;  ///< other nodes read the same value under another name
  std::shared_ptr<const Unbatched> unbatched;
};

/// Describes a value as the result of SpaceToBatchND: `base`, padded (or cut, if negative), then
/// divided into blocks. One entry per dimension.
struct Unbatched {
  Value base;
  std::vector<std::int64_t> before, after, block;
};

using Attributes = std::map<std::string, nn::Attribute, std::less<>>;

class Translator {
 public:
  /// `names` are in use. `images`: four-dimensional tensors count as N H W C unless known
  /// otherwise.
  Translator(nn::Graph& graph, std::unordered_set<std::string> names, bool images)
      : graph_(graph), names_(std::move(names)), images_(images) {}

  // ---- the node ---------------------------------------------------------------------------------

  [[nodiscard]] const Node& node() const { return *node_; }

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    user_error("{}: {}", node().where(), fmt::format(format, std::forward<Args>(args)...));
  }

  [[nodiscard]] std::size_t input_count() const { return inputs_.size(); }
  [[nodiscard]] Value& input(std::size_t i) const;
  /// The constant; null if the value is computed at run time.
  [[nodiscard]] const nn::Tensor* constant(const Value& value) const;
  [[nodiscard]] const nn::Tensor& constant_input(std::size_t i, std::string_view what) const;
  /// Elements of an integer constant; and the element of a scalar.
  [[nodiscard]] std::vector<std::int64_t> integers(std::size_t i, std::string_view what) const;
  [[nodiscard]] std::int64_t integer(std::size_t i, std::string_view what) const;
  /// An axis from 0 on; a negative one counts from the end of `rank` dimensions.
  [[nodiscard]] std::size_t axis(std::int64_t axis, std::size_t rank) const;
  /// Refuses shapes that are too large, before they are computed.
  void expect_size(const nn::Shape& shape) const;
  void expect_rank(const Value& value, std::size_t rank, std::string_view what) const;

  // ---- forms ------------------------------------------------------------------------------------

  [[nodiscard]] const std::string& plain(Value& value);
  [[nodiscard]] const std::string& image(Value& value);
  /// True if an operator that works on both forms should use the image form.
  [[nodiscard]] bool prefers_image(const std::vector<Value*>& values) const;
  /// An operand that is broadcast to an image; if it has fewer dimensions, they are the last ones.
  [[nodiscard]] std::string image_operand(Value& value);
  [[nodiscard]] Value plain_value(const std::string& name, nn::Shape shape) const;
  /// `shape` is N C H W.
  [[nodiscard]] Value image_value(const std::string& name, const nn::Shape& shape) const;
  [[nodiscard]] Value constant_value(nn::Tensor tensor);

  // ---- new nodes --------------------------------------------------------------------------------

  /// Adds a node and returns the names of its outputs. An empty input name means an absent input.
  std::vector<std::string> emit(const std::string& op, std::vector<std::string> inputs,
                                Attributes attributes, std::size_t outputs);
  std::string emit(const std::string& op, std::vector<std::string> inputs,
                   Attributes attributes = {}) {
    return emit(op, std::move(inputs), std::move(attributes), 1).front();
  }
  std::string constant(nn::Tensor tensor);
  std::string constant(float value) { return constant(nn::Tensor::of({}, std::vector{value})); }
  std::string constant(std::vector<std::int64_t> values);

  // ---- what several operators do ----------------------------------------------------------------

  /// op(values...) element by element, with broadcasting.
  [[nodiscard]] Value elementwise(const std::string& op, const std::vector<Value*>& values,
                                  Attributes attributes = {});
  [[nodiscard]] Value reshaped(Value& value, nn::Shape shape);
  [[nodiscard]] Value transposed(Value& value, const std::vector<std::int64_t>& permutation);
  /// Pads with zeroes; negative values cut. One entry per dimension.
  [[nodiscard]] Value padded(Value& value, const std::vector<std::int64_t>& before,
                             const std::vector<std::int64_t>& after);
  /// Elements start[d], start[d] + step[d], ... of each dimension d, count[d] in number.
  [[nodiscard]] Value sliced(Value& value, const std::vector<std::int64_t>& start,
                             const std::vector<std::int64_t>& count,
                             const std::vector<std::int64_t>& step);

  // ---- results ----------------------------------------------------------------------------------

  void result(Value value) { results_.push_back(std::move(value)); }
  /// Makes the result another name of operand i.
  void pass_on(std::size_t i);
  /// Number of times that the needed nodes read an operand.
  [[nodiscard]] std::size_t readings(std::size_t i) const;

  /// The product that computes the value, if only this node reads it, so that a bias can be merged
  /// into it; else null.
  [[nodiscard]] nn::Node* product_of(const Value& value);
  /// Renames a value of the new graph.
  void rename(const std::string& from, const std::string& to);

  // ---- for the importer -------------------------------------------------------------------------

  /// Translates one node. `readings` counts how often the needed nodes read its inputs.
  std::vector<Value> translate(const Node& node, std::vector<Value*> inputs,
                               const std::unordered_map<std::string, std::size_t>& readings);
  /// Gives the plain form of a value the name `wanted`; `of` is the value's node.
  std::string finished(const Node& of, Value& value, const std::string& wanted);
  [[nodiscard]] std::string unused(std::string name);
  [[nodiscard]] nn::Graph& graph() { return graph_; }

 private:
  void name_results();

  nn::Graph& graph_;
  std::unordered_set<std::string> names_;  ///< names of nodes and values in use
  bool images_;
  const Node* node_ = nullptr;
  std::unordered_map<std::string, std::size_t> producers_;
  std::map<std::string, std::string> folded_;  ///< results computed before, by recipe
  std::map<std::string, std::string> renamed_;
  std::vector<Value*> inputs_;
  std::vector<Value> results_;
  std::size_t first_node_ = 0;
  const std::unordered_map<std::string, std::size_t>* readings_ = nullptr;
};

/// Elements of the largest supported tensor.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 26;

/// A supported operator of TensorFlow.
struct Operator {
  std::string_view name;
  std::size_t least_inputs, most_inputs;
  void (*translate)(Translator&);
};
inline constexpr std::size_t any_number = SIZE_MAX;
using Operators = std::vector<Operator>;

// The families of operators, each in a file in operators/.
[[nodiscard]] Operators arithmetic_operators();     ///< Add, Relu, Sigmoid, Softmax, Mean...
[[nodiscard]] Operators batch_operators();          ///< SpaceToBatchND, BatchToSpaceND
[[nodiscard]] Operators constant_operators();       ///< Const, Shape, Fill, Range, Switch, Merge...
[[nodiscard]] Operators image_operators();          ///< pools, normalisation, resizing, blocks
[[nodiscard]] Operators product_operators();        ///< MatMul, Conv2D..., BiasAdd
[[nodiscard]] Operators quantisation_operators();   ///< FakeQuantWithMinMaxVars...
[[nodiscard]] Operators rearrangement_operators();  ///< Reshape, Transpose, ConcatV2, Pad...
[[nodiscard]] Operators recurrent_operators();      ///< UnidirectionalSequenceLSTM

[[nodiscard]] const Operator* find_operator(std::string_view name);

// ---- layouts of images --------------------------------------------------------------------------

/// The attribute data_format: order of an image's dimensions in TensorFlow's tensor.
struct DataFormat {
  bool channels_first = false;
  [[nodiscard]] std::size_t channel() const { return channels_first ? 1 : 3; }
  [[nodiscard]] std::size_t row() const { return channels_first ? 2 : 1; }
};
[[nodiscard]] DataFormat data_format(const Translator& t);
/// The operand as N C H W, with its shape.
[[nodiscard]] std::string image_input(Translator& t, std::size_t i, DataFormat format);
[[nodiscard]] nn::Shape image_shape(const Value& value, DataFormat format);
/// Converts an N C H W result to the node's format.
[[nodiscard]] Value image_result(Translator& t, const std::string& name, const nn::Shape& shape,
                                 DataFormat format);

/// Permutes a list with one entry per dimension from N H W C to N C H W, and back.
template <typename T>
[[nodiscard]] std::vector<T> to_channels_first(const std::vector<T>& v) {
  return {v[0], v[3], v[1], v[2]};
}
template <typename T>
[[nodiscard]] std::vector<T> to_channels_last(const std::vector<T>& v) {
  return {v[0], v[2], v[3], v[1]};
}
/// Position in N C H W of a dimension of N H W C.
[[nodiscard]] inline std::size_t image_axis(std::size_t axis) {
  constexpr std::size_t places[] = {0, 2, 3, 1};
  return places[axis];
}

/// Broadcast shape of two shapes.
[[nodiscard]] nn::Shape broadcast(const Translator& t, const nn::Shape& a, const nn::Shape& b);

}  // namespace tactus::tf
