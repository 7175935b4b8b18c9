// A frozen TensorFlow graph as plain data: the checked content of its file, without protobuf.
//
// A graph that parse_graph_def() returns keeps these promises:
// * Names of nodes are unique; names and operators are not empty; nodes are in file order. Whether
//   inputs exist and whether there is a cycle is checked where a node is used.
// * Tensors hold as many elements as their shape says.
// Operators are not checked. Attribute access throws UserError that names file, node, attribute,
// and what is allowed. Source: the published message definitions of TensorFlow (GraphDef, NodeDef,
// AttrValue, Tensor).
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

/// Permutations of an image's dimensions: from N H W C (TensorFlow) to N C H W (ONNX), and back.
inline const std::vector<std::int64_t> to_image{0, 3, 1, 2}, from_image{0, 2, 3, 1};

/// TensorFlow's codes of element types.
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

/// Name such as "DT_FLOAT"; the code for types without a name here.
[[nodiscard]] std::string name_of_type(std::int32_t type);
/// Number type of an element type, and ONNX's code to store with it (see nn::Tensor::stored). Empty
/// for texts, complex numbers, resources and the like.
struct NumberType {
  nn::ElementType type = nn::ElementType::float32;
  std::int32_t stored = 0;
};
[[nodiscard]] std::optional<NumberType> number_type(std::int32_t type);

/// Sizes of dimensions; a size is empty if unknown. Without a list, the rank is unknown too.
using PartialShape = std::optional<std::vector<std::optional<std::int64_t>>>;

struct TypeName {
  std::int32_t number = 0;
  bool operator==(const TypeName& o) const { return number == o.number; }
};

using Attribute = std::variant<std::int64_t, float, bool, std::string, TypeName, PartialShape,
                               nn::Tensor, std::vector<std::int64_t>, std::vector<float>,
                               std::vector<std::string>, std::vector<PartialShape>>;

/// An output of a node: "name" is output 0, "name:2" is output 2.
struct Output {
  std::string node;
  std::size_t number = 0;
  [[nodiscard]] std::string text() const;
};
/// Parses "name:2".
[[nodiscard]] Output parse_output(std::string_view text);

struct Node {
  std::string name;
  std::string op;
  std::string shown_op;  ///< the operator as the user's file names it, if that is another name
  std::vector<Output> inputs;  ///< data inputs; control inputs are checked and left out
  std::map<std::string, Attribute, std::less<>> attributes;
  /// Attributes of kinds that no supported operator has, and tensors of text and the like.
  std::map<std::string, std::string, std::less<>> unread;
  std::string file;  ///< source of the graph, for messages

  /// `model.pb: node "conv1" (Conv2D)`, the subject of every message about the node.
  [[nodiscard]] std::string where() const;

  [[nodiscard]] bool has(std::string_view attribute) const;
  /// Value of an attribute. Without a fallback the attribute is required.
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
  std::vector<Output> outputs;  ///< empty: all outputs of nodes that no node reads
  /// Operators that a graph of this kind may have, for messages; empty: those of TensorFlow.
  std::string supported;
  std::int32_t producer = 0;  ///< version of TensorFlow's graph format that wrote it; 0: unknown

  [[nodiscard]] const Node* find(std::string_view name) const;
};

/// Tests the content for a GraphDef, and for an ONNX model.
[[nodiscard]] bool is_graph_def(const std::vector<std::uint8_t>& bytes);
[[nodiscard]] bool is_onnx_model(const std::vector<std::uint8_t>& bytes);

/// Throws UserError if the bytes are not a GraphDef (naming what they are, if known: a SavedModel,
/// an ONNX model or tensor, text form, ...), are truncated, have empty or duplicate names, or have
/// tensors that do not fit their shape.
[[nodiscard]] GraphDef parse_graph_def(const std::vector<std::uint8_t>& bytes,
                                       const std::string& where);
[[nodiscard]] GraphDef read_graph_def(const std::string& path);

}  // namespace tactus::tf
