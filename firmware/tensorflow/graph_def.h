// A frozen TensorFlow graph as plain data: what its file says, checked, without protobuf.
//
// A graph that parse_graph_def() returns keeps these promises:
// * Names of nodes are unique, and names and operators are not empty; nodes stand in file order.
//   Whether inputs exist, and whether there is a cycle, is looked at where a node is needed.
// * Tensors hold as many elements as their shape says. Operators are not looked at.
// Attribute access throws UserError that names file, node, attribute, and what is allowed.
// Source: the published message definitions of TensorFlow (GraphDef, NodeDef, AttrValue, Tensor).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::tf {

/// The dimensions of images: from N H W C, TensorFlow's order, to N C H W, ONNX's, and back.
inline const std::vector<std::int64_t> to_image{0, 3, 1, 2}, from_image{0, 2, 3, 1};

/// TensorFlow's numbers of element types.
enum ElementType : std::int32_t {
  tf_float = 1,
  tf_double = 2,
  tf_int32 = 3,
  tf_uint8 = 4,
  tf_int16 = 5,
  tf_int8 = 6,
  tf_string = 7,
  tf_int64 = 9,
  tf_bool = 10,
  tf_bfloat16 = 14,
  tf_uint16 = 17,
  tf_half = 19,
  tf_uint32 = 22,
  tf_uint64 = 23,
};

/// "DT_FLOAT"; the number for those that have no name here.
[[nodiscard]] std::string name_of_type(std::int32_t type);
/// The kind of number a type holds, and ONNX's number to keep beside it (see nn::Tensor::stored).
/// None: texts, complex numbers, resources and the like.
struct NumberType {
  nn::ElementType type = nn::ElementType::float32;
  std::int32_t stored = 0;
};
[[nodiscard]] std::optional<NumberType> number_type(std::int32_t type);

/// Sizes; none: not known. No list: not even the rank is.
using PartialShape = std::optional<std::vector<std::optional<std::int64_t>>>;

struct TypeName {
  std::int32_t number = 0;
  bool operator==(const TypeName& o) const { return number == o.number; }
};

using Attribute = std::variant<std::int64_t, float, bool, std::string, TypeName, PartialShape,
                               nn::Tensor, std::vector<std::int64_t>, std::vector<float>,
                               std::vector<std::string>, std::vector<PartialShape>>;

/// An output of a node: "name" is number 0, "name:2" number 2.
struct Output {
  std::string node;
  std::size_t number = 0;
  [[nodiscard]] std::string text() const;
};
/// Splits "name:2".
[[nodiscard]] Output parse_output(std::string_view text);

struct Node {
  std::string name;
  std::string op;
  std::vector<Output> inputs;  ///< of data; those of order alone are checked and left out
  std::map<std::string, Attribute, std::less<>> attributes;
  /// Attributes of kinds that no operator here has, and tensors of texts and the like.
  std::map<std::string, std::string, std::less<>> unread;
  std::string file;  ///< where the graph came from, for messages

  /// `model.pb: node "conv1" (Conv2D)`, the subject of every message about the node.
  [[nodiscard]] std::string where() const;

  [[nodiscard]] bool has(std::string_view attribute) const;
  /// Without fallback the attribute is required.
  [[nodiscard]] std::int64_t integer(std::string_view attribute) const;
  [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t fallback) const;
  [[nodiscard]] float real(std::string_view attribute, float fallback) const;
  [[nodiscard]] bool flag(std::string_view attribute, bool fallback) const;
  [[nodiscard]] std::string text(std::string_view attribute, std::string_view fallback) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view attribute,
                                                   std::vector<std::int64_t> fallback) const;
  [[nodiscard]] const std::vector<std::int64_t>& integers(std::string_view attribute) const;
  [[nodiscard]] std::int32_t type(std::string_view attribute, std::int32_t fallback) const;
  [[nodiscard]] PartialShape shape(std::string_view attribute) const;
  [[nodiscard]] const nn::Tensor& tensor(std::string_view attribute) const;

 private:
  template <typename T>
  [[nodiscard]] const T& get(std::string_view attribute) const;
};

struct GraphDef {
  std::string file;
  std::vector<Node> nodes;
  std::int32_t producer = 0;  ///< version of TensorFlow's graph format that wrote it; 0: not said

  [[nodiscard]] const Node* find(std::string_view name) const;
};

/// By content: a GraphDef, an ONNX model.
[[nodiscard]] bool is_graph_def(const std::vector<std::uint8_t>& bytes);
[[nodiscard]] bool is_onnx_model(const std::vector<std::uint8_t>& bytes);

/// Throws UserError: not a GraphDef (with what it is, where that is known: a SavedModel, an ONNX
/// model or tensor, text form...), cut short, names that are empty or given twice, tensors that do
/// not fit their shape.
[[nodiscard]] GraphDef parse_graph_def(const std::vector<std::uint8_t>& bytes,
                                       const std::string& where);
[[nodiscard]] GraphDef read_graph_def(const std::string& path);

}  // namespace tactus::tf
