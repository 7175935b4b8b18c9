// What an operator sees of its node while a TensorFlow graph becomes one of ONNX operators.
//
// A value has up to two forms in the new graph: `plain`, with the dimensions of TensorFlow's
// tensor, and for tensors of four dimensions `image`, the same elements as N C H W of an N H W C
// tensor. Operators take the form they need; the other is made of it, by a Transpose, only if asked
// for. Nodes whose operands are all constants are computed at once and become constants.
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
  nn::Shape shape;  ///< TensorFlow's
  nn::ElementType type = nn::ElementType::float32;
  std::int32_t stored = 0;  ///< as in nn::Tensor
  std::string plain;        ///< name in the new graph; empty: not made yet
  std::string image;
  bool dead = false;    ///< on the side of a Switch that is not taken
  bool shared = false;  ///< another name of a value that others read, too
  std::shared_ptr<const Unbatched> unbatched;
};

/// A value as what SpaceToBatchND makes of another: `base`, padded (or cut, if negative), in
/// blocks. One entry a dimension.
struct Unbatched {
  Value base;
  std::vector<std::int64_t> before, after, block;
};

using Attributes = std::map<std::string, nn::Attribute, std::less<>>;

class Translator {
 public:
  /// `names` are taken; `images`: tensors of four dimensions are N H W C unless shown otherwise.
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
  /// Null: it is computed at run time.
  [[nodiscard]] const nn::Tensor* constant(const Value& value) const;
  [[nodiscard]] const nn::Tensor& constant_input(std::size_t i, std::string_view what) const;
  /// Elements of a constant of whole numbers, and the one of a scalar.
  [[nodiscard]] std::vector<std::int64_t> integers(std::size_t i, std::string_view what) const;
  [[nodiscard]] std::int64_t integer(std::size_t i, std::string_view what) const;
  /// An axis of `rank` dimensions, counted from the end if negative.
  [[nodiscard]] std::size_t axis(std::int64_t axis, std::size_t rank) const;
  /// Refuses sizes that nothing could hold, before they are computed.
  void expect_size(const nn::Shape& shape) const;
  void expect_rank(const Value& value, std::size_t rank, std::string_view what) const;

  // ---- forms ------------------------------------------------------------------------------------

  [[nodiscard]] const std::string& plain(Value& value);
  [[nodiscard]] const std::string& image(Value& value);
  /// Whether an operator that can work on either form should work on images.
  [[nodiscard]] bool prefers_image(const std::vector<Value*>& values) const;
  /// An operand of an operator on images that broadcasts it: fewer dimensions count from the last.
  [[nodiscard]] std::string image_operand(Value& value);
  [[nodiscard]] Value plain_value(const std::string& name, nn::Shape shape) const;
  /// `shape` is that of the image: N C H W.
  [[nodiscard]] Value image_value(const std::string& name, const nn::Shape& shape) const;
  [[nodiscard]] Value constant_value(nn::Tensor tensor);

  // ---- new nodes --------------------------------------------------------------------------------

  /// Returns the names of the outputs. An empty input is left out.
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
  /// Zeroes around it; negative: cut off. One entry a dimension.
  [[nodiscard]] Value padded(Value& value, const std::vector<std::int64_t>& before,
                             const std::vector<std::int64_t>& after);
  /// start[d], start[d] + step[d], ...: count[d] elements of each dimension.
  [[nodiscard]] Value sliced(Value& value, const std::vector<std::int64_t>& start,
                             const std::vector<std::int64_t>& count,
                             const std::vector<std::int64_t>& step);

  // ---- results ----------------------------------------------------------------------------------

  void result(Value value) { results_.push_back(std::move(value)); }
  /// The result is an operand under another name.
  void pass_on(std::size_t i);
  /// How often the nodes needed read an operand.
  [[nodiscard]] std::size_t readings(std::size_t i) const;

  /// The node's product, if this node is the only one that reads it: so a bias can become part.
  [[nodiscard]] nn::Node* product_of(const Value& value);
  /// A value of the new graph takes another name.
  void rename(const std::string& from, const std::string& to);

  // ---- for the importer -------------------------------------------------------------------------

  /// Translates one node; `readings` tells how often its inputs are read by all nodes needed.
  std::vector<Value> translate(const Node& node, std::vector<Value*> inputs,
                               const std::unordered_map<std::string, std::size_t>& readings);
  /// Gives the plain form of a value that is asked for the name `wanted`; `of` is its node.
  std::string finished(const Node& of, Value& value, const std::string& wanted);
  [[nodiscard]] std::string unused(std::string name);
  [[nodiscard]] nn::Graph& graph() { return graph_; }

 private:
  void name_results();

  nn::Graph& graph_;
  std::unordered_set<std::string> names_;  ///< of nodes and values
  bool images_;
  const Node* node_ = nullptr;
  std::unordered_map<std::string, std::size_t> producers_;
  std::map<std::string, std::string> folded_;  ///< what was computed before, by how
  std::map<std::string, std::string> renamed_;
  std::vector<Value*> inputs_;
  std::vector<Value> results_;
  std::size_t first_node_ = 0;
  const std::unordered_map<std::string, std::size_t>* readings_ = nullptr;
};

/// Elements of the largest tensor that is dealt with.
inline constexpr std::int64_t most_elements = std::int64_t{1} << 26;

/// One operator of TensorFlow.
struct Operator {
  std::string_view name;
  std::size_t least_inputs, most_inputs;
  void (*translate)(Translator&);
};
inline constexpr std::size_t any_number = SIZE_MAX;
using Operators = std::vector<Operator>;

// The families, a file each in operators/.
[[nodiscard]] Operators arithmetic_operators();     ///< Add, Relu, Sigmoid, Softmax, Mean...
[[nodiscard]] Operators batch_operators();          ///< SpaceToBatchND, BatchToSpaceND
[[nodiscard]] Operators constant_operators();       ///< Const, Shape, Fill, Range, Switch, Merge...
[[nodiscard]] Operators image_operators();          ///< pools, normalisation, resizing, blocks
[[nodiscard]] Operators product_operators();        ///< MatMul, Conv2D..., BiasAdd
[[nodiscard]] Operators quantisation_operators();   ///< FakeQuantWithMinMaxVars...
[[nodiscard]] Operators rearrangement_operators();  ///< Reshape, Transpose, ConcatV2, Pad...

[[nodiscard]] const Operator* find_operator(std::string_view name);

// ---- layouts of images --------------------------------------------------------------------------

/// The attribute data_format: where the dimensions of an image are in TensorFlow's tensor.
struct DataFormat {
  bool channels_first = false;
  [[nodiscard]] std::size_t channel() const { return channels_first ? 1 : 3; }
  [[nodiscard]] std::size_t row() const { return channels_first ? 2 : 1; }
};
[[nodiscard]] DataFormat data_format(const Translator& t);
/// The operand as N C H W, and its shape.
[[nodiscard]] std::string image_input(Translator& t, std::size_t i, DataFormat format);
[[nodiscard]] nn::Shape image_shape(const Value& value, DataFormat format);
/// A result of N C H W in the node's format.
[[nodiscard]] Value image_result(Translator& t, const std::string& name, const nn::Shape& shape,
                                 DataFormat format);

/// N H W C to N C H W, and back, for anything with an entry a dimension.
template <typename T>
[[nodiscard]] std::vector<T> to_channels_first(const std::vector<T>& v) {
  return {v[0], v[3], v[1], v[2]};
}
template <typename T>
[[nodiscard]] std::vector<T> to_channels_last(const std::vector<T>& v) {
  return {v[0], v[2], v[3], v[1]};
}
/// Where a dimension of N H W C is in N C H W.
[[nodiscard]] inline std::size_t image_axis(std::size_t axis) {
  constexpr std::size_t places[] = {0, 2, 3, 1};
  return places[axis];
}

/// The shape of two under the broadcasting rules.
[[nodiscard]] nn::Shape broadcast(const Translator& t, const nn::Shape& a, const nn::Shape& b);

}  // namespace tactus::tf
