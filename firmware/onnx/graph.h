// An ONNX model as plain data: the checked content of its file, without protobuf.
//
// Graphs are made by load_graph() and parse_graph() (loader.h) or by hand (firmware/zoo);
// write_graph() (writer.h) writes them to a file. A loaded graph keeps these promises:
// * Names of nodes and of values (inputs, initializers, node outputs) are unique and not empty.
// * A node reads only graph inputs, initializers and outputs of earlier nodes. Nodes in another
//   order in the file are sorted; a name shared by two nodes gets a number.
// * Sizes are not negative, and a tensor has as many elements as its shape says.
// * Operators are not checked: any op_type, number of inputs and attribute may occur.
//
// Attribute access throws UserError that names file, node, attribute, and what is allowed.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace tactus::nn {

using Shape = std::vector<std::int64_t>;

enum class ElementType { float32, int64 };

[[nodiscard]] std::string_view name_of(ElementType type);  ///< as ONNX spells it: FLOAT, INT64

/// Name of the type in the file, see Tensor::stored, such as INT8.
[[nodiscard]] std::string_view name_of(ElementType type, std::int32_t stored);

/// "[1,32,32,3]"; "[]" is a scalar.
[[nodiscard]] std::string to_string(const Shape& shape);

/// Product of the sizes; 1 for a scalar. Throws UserError above 2^31 elements; `what` is the
/// subject of the message.
[[nodiscard]] std::int64_t element_count(const Shape& shape, std::string_view what = "tensor");

/// ONNX's codes of element types, for Tensor::stored and the attribute `to` of Cast.
enum OnnxType : std::int32_t {
  onnx_float = 1,
  onnx_uint8 = 2,
  onnx_int8 = 3,
  onnx_uint16 = 4,
  onnx_int16 = 5,
  onnx_int32 = 6,
  onnx_int64 = 7,
  onnx_bool = 9,
  onnx_float16 = 10,
  onnx_double = 11,
  onnx_uint32 = 12,
  onnx_bfloat16 = 16,
};

/// A row-major tensor. Only the list of its element type is used.
struct Tensor {
  Shape shape;
  ElementType type = ElementType::float32;
  std::vector<float> floats;
  std::vector<std::int64_t> integers;
  /// ONNX's code of the element type in the file if that is neither FLOAT nor INT64: FLOAT16, INT8,
  /// BOOL... Values are exact; equality and arithmetic ignore it.
  std::int32_t stored = 0;

  [[nodiscard]] static Tensor of(Shape shape, std::vector<float> values);
  [[nodiscard]] static Tensor of(Shape shape, std::vector<std::int64_t> values);
  /// A tensor of zeroes.
  [[nodiscard]] static Tensor zeros(Shape shape);

  /// The elements as real numbers.
  [[nodiscard]] std::vector<float> reals() const;
  /// Whole numbers next to the elements, kept as `kept` says.
  [[nodiscard]] Tensor rounded(std::int32_t kept) const;

  [[nodiscard]] std::int64_t size() const {
    return static_cast<std::int64_t>(type == ElementType::float32 ? floats.size()
                                                                  : integers.size());
  }
  [[nodiscard]] bool operator==(const Tensor& other) const;
};

using Attribute = std::variant<std::int64_t, float, std::string, std::vector<std::int64_t>,
                               std::vector<float>, std::vector<std::string>, Tensor>;

struct Graph;

struct Node {
  std::string name;                  ///< unique; derived from the first output if the file has none
  std::string op_type;               ///< "Conv"
  std::string domain;                ///< empty: the default domain ("ai.onnx" is read as that)
  std::vector<std::string> inputs;   ///< an empty name: the optional input is absent
  std::vector<std::string> outputs;  ///< an empty name: the optional output is absent
  std::map<std::string, Attribute, std::less<>> attributes;
  /// Attributes that are graphs (the branches of If, the body of Loop). They can use values of the
  /// surrounding graph; their inputs have no stated shape.
  std::map<std::string, std::shared_ptr<const Graph>, std::less<>> graphs;
  std::string file;  ///< source of the model, for messages

  /// `model.onnx: node "conv1" (Conv)`, the subject of every message about the node.
  [[nodiscard]] std::string where() const;

  [[nodiscard]] bool has(std::string_view attribute) const;
  /// Value of an attribute. Without a fallback the attribute is required.
  [[nodiscard]] std::int64_t integer(std::string_view attribute) const;
  [[nodiscard]] std::int64_t integer(std::string_view attribute, std::int64_t fallback) const;
  [[nodiscard]] float real(std::string_view attribute) const;
  [[nodiscard]] float real(std::string_view attribute, float fallback) const;
  [[nodiscard]] const std::string& text(std::string_view attribute) const;
  [[nodiscard]] std::string text(std::string_view attribute, std::string_view fallback) const;
  [[nodiscard]] const std::vector<std::int64_t>& integers(std::string_view attribute) const;
  [[nodiscard]] std::vector<std::int64_t> integers(std::string_view attribute,
                                                   std::vector<std::int64_t> fallback) const;
  [[nodiscard]] const std::vector<float>& reals(std::string_view attribute) const;
  [[nodiscard]] std::vector<float> reals(std::string_view attribute,
                                         std::vector<float> fallback) const;
  [[nodiscard]] std::vector<std::string> texts(std::string_view attribute,
                                               std::vector<std::string> fallback) const;
  [[nodiscard]] const Tensor& tensor(std::string_view attribute) const;

  /// Name of input `index`; empty if it is absent or beyond the end.
  [[nodiscard]] std::string_view input(std::size_t index) const {
    return index < inputs.size() ? std::string_view(inputs[index]) : std::string_view();
  }

 private:
  template <typename T>
  [[nodiscard]] const T& get(std::string_view attribute) const;
};

struct Dimension {
  std::optional<std::int64_t> size;  ///< empty: determined at run time
  std::string symbol;                ///< its name in the file, for example "batch"; may be empty
};

/// Name, type and shape of a graph input or output.
struct ValueInfo {
  std::string name;
  ElementType type = ElementType::float32;
  std::int32_t stored = 0;  ///< as in Tensor
  /// Empty: the file does not state the shape, not even the rank (allowed for outputs, rare for
  /// inputs).
  std::optional<std::vector<Dimension>> dims;
};

struct Graph {
  std::string file;  ///< source, for messages: a path, or any name
  std::string name;
  std::int64_t ir_version = 0;
  /// Version of the default operator domain; 7 if the model's version is older and none of its
  /// operators has changed since.
  std::int64_t opset = 0;
  std::vector<Node> nodes;  ///< producers before consumers, otherwise in file order
  /// The nodes with operators of ONNX Runtime as the file has them, if those are written as
  /// operators of the standard in `nodes`; else empty.
  std::vector<Node> nodes_as_given;
  std::map<std::string, Tensor, std::less<>> initializers;
  std::vector<ValueInfo> inputs;  ///< without those for which an initializer gives a value
  std::vector<ValueInfo> outputs;

  /// Null if `value` is not an initializer.
  [[nodiscard]] const Tensor* initializer(std::string_view value) const;
  /// Null if no node makes `value` (graph inputs, initializers, unknown names).
  [[nodiscard]] const Node* producer(std::string_view value) const;
};

}  // namespace tactus::nn
