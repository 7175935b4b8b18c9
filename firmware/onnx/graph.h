// An ONNX model as plain data: what its file says, checked, without protobuf.
//
// Graphs come from load_graph() and parse_graph() (loader.h) or are built by hand (firmware/zoo),
// and write_graph() (writer.h) makes a file of one. A graph that was loaded keeps these promises:
// * Node names, and the names of all values (inputs, initializers, node outputs), are unique and
//   not empty. A node reads only graph inputs, initializers and outputs of nodes before it: nodes
//   that stand in another order in the file are sorted, names that two nodes share get a number.
// * Sizes are not negative, and a tensor holds as many elements as its shape says.
// * Operators are not looked at: any op_type, any number of inputs, any attribute can occur.
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

/// The type in the file, see Tensor::stored: INT8.
[[nodiscard]] std::string_view name_of(ElementType type, std::int32_t stored);

/// "[1,32,32,3]"; "[]" is a scalar.
[[nodiscard]] std::string to_string(const Shape& shape);

/// Product of the sizes, 1 for a scalar. Throws UserError beyond 2^31 elements, with `what` as the
/// subject of the sentence.
[[nodiscard]] std::int64_t element_count(const Shape& shape, std::string_view what = "tensor");

/// ONNX's numbers of element types, for Tensor::stored and the attribute `to` of Cast.
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

/// Row-major; of the two lists the one of its type is used.
struct Tensor {
  Shape shape;
  ElementType type = ElementType::float32;
  std::vector<float> floats;
  std::vector<std::int64_t> integers;
  /// ONNX's number of the type the file keeps the elements in, if that is neither FLOAT nor INT64:
  /// FLOAT16, INT8, BOOL... Values are exact; equality and arithmetic do not look at it.
  std::int32_t stored = 0;

  [[nodiscard]] static Tensor of(Shape shape, std::vector<float> values);
  [[nodiscard]] static Tensor of(Shape shape, std::vector<std::int64_t> values);
  /// All elements are zero.
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
  std::vector<std::string> inputs;   ///< an empty name: this optional input is left out
  std::vector<std::string> outputs;  ///< likewise
  std::map<std::string, Attribute, std::less<>> attributes;
  /// Attributes that are graphs (the branches of If, the body of Loop). These see the values of the
  /// graph around them; their inputs state no shape.
  std::map<std::string, std::shared_ptr<const Graph>, std::less<>> graphs;
  std::string file;  ///< where the model came from, for messages

  /// `model.onnx: node "conv1" (Conv)`, the subject of every message about the node.
  [[nodiscard]] std::string where() const;

  [[nodiscard]] bool has(std::string_view attribute) const;
  /// Without fallback the attribute is required.
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

  /// Name of input `index`, or empty if it is left out or beyond the end.
  [[nodiscard]] std::string_view input(std::size_t index) const {
    return index < inputs.size() ? std::string_view(inputs[index]) : std::string_view();
  }

 private:
  template <typename T>
  [[nodiscard]] const T& get(std::string_view attribute) const;
};

struct Dimension {
  std::optional<std::int64_t> size;  ///< none: decided when the model runs
  std::string symbol;                ///< its name in the file, for example "batch"; may be empty
};

/// Name, type and shape of a graph input or output.
struct ValueInfo {
  std::string name;
  ElementType type = ElementType::float32;
  std::int32_t stored = 0;  ///< as in Tensor
  /// None: the file states no shape, not even the rank (allowed for outputs, rare for inputs).
  std::optional<std::vector<Dimension>> dims;
};

struct Graph {
  std::string file;  ///< where it came from, for messages: a path, or any name
  std::string name;
  std::int64_t ir_version = 0;
  /// Version of the default operator domain; 7 if it is older and no operator has changed since.
  std::int64_t opset = 0;
  std::vector<Node> nodes;  ///< producers before consumers, else in file order
  std::map<std::string, Tensor, std::less<>> initializers;
  std::vector<ValueInfo> inputs;  ///< without those that initializers give a value
  std::vector<ValueInfo> outputs;

  /// Null if `value` is no initializer.
  [[nodiscard]] const Tensor* initializer(std::string_view value) const;
  /// Null if no node makes `value` (graph inputs, initializers, unknown names).
  [[nodiscard]] const Node* producer(std::string_view value) const;
};

}  // namespace tactus::nn
