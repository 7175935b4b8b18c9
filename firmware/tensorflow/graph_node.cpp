// Attributes of a node, by kind, and messages that name the node.

#include "firmware/onnx/value_kinds.h"
#include "firmware/tensorflow/graph_def.h"
#include "isa/support/error.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus::nn {

template <>
inline constexpr std::string_view kind_name<bool> = "a flag";
template <>
inline constexpr std::string_view kind_name<tf::TypeName> = "a type";
template <>
inline constexpr std::string_view kind_name<tf::PartialShape> = "a shape";
template <>
inline constexpr std::string_view kind_name<std::vector<tf::PartialShape>> = "a list of shapes";

}  // namespace tactus::nn

namespace tactus::tf {
namespace {

struct KnownType {
  std::int32_t number;
  const char* name;
  nn::ElementType type;
  std::int32_t stored;
  bool is_number;
};

constexpr KnownType known_types[] = {
    {tf_float, "DT_FLOAT", nn::ElementType::float32, 0, true},
    {tf_double, "DT_DOUBLE", nn::ElementType::float32, nn::onnx_double, true},
    {tf_int32, "DT_INT32", nn::ElementType::int64, nn::onnx_int32, true},
    {tf_uint8, "DT_UINT8", nn::ElementType::int64, nn::onnx_uint8, true},
    {tf_int16, "DT_INT16", nn::ElementType::int64, nn::onnx_int16, true},
    {tf_int8, "DT_INT8", nn::ElementType::int64, nn::onnx_int8, true},
    {tf_string, "DT_STRING", nn::ElementType::int64, 0, false},
    {8, "DT_COMPLEX64", nn::ElementType::int64, 0, false},
    {tf_int64, "DT_INT64", nn::ElementType::int64, 0, true},
    {tf_bool, "DT_BOOL", nn::ElementType::int64, nn::onnx_bool, true},
    {tf_bfloat16, "DT_BFLOAT16", nn::ElementType::float32, nn::onnx_bfloat16, true},
    {tf_uint16, "DT_UINT16", nn::ElementType::int64, nn::onnx_uint16, true},
    {tf_half, "DT_HALF", nn::ElementType::float32, nn::onnx_float16, true},
    {20, "DT_RESOURCE", nn::ElementType::int64, 0, false},
    {21, "DT_VARIANT", nn::ElementType::int64, 0, false},
    {tf_uint32, "DT_UINT32", nn::ElementType::int64, nn::onnx_uint32, true},
    {tf_uint64, "DT_UINT64", nn::ElementType::int64, 0, false},
};

const KnownType* known_type(std::int32_t number) {
  for (const KnownType& type : known_types) {
    if (type.number == number) return &type;
  }
  return nullptr;
}

}  // namespace

std::string name_of_type(std::int32_t type) {
  const KnownType* known = known_type(type);
  return known != nullptr ? known->name : fmt::format("of type {}", type);
}

std::optional<NumberType> number_type(std::int32_t type) {
  const KnownType* known = known_type(type);
  if (known == nullptr || !known->is_number) return std::nullopt;
  return NumberType{known->type, known->stored};
}

std::string Output::text() const { return number == 0 ? node : fmt::format("{}:{}", node, number); }

Output parse_output(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon != std::string_view::npos) {
    const auto number = read_number<std::size_t>(text.substr(colon + 1));
    if (number && *number < 65536) return {std::string(text.substr(0, colon)), *number};
  }
  return {std::string(text), 0};
}

std::string Node::where() const {
  return fmt::format("{}{}node {} ({})", file, file.empty() ? "" : ": ", quote(name),
                     printable(shown_op.empty() ? op : shown_op));
}

bool Node::has(std::string_view attribute) const {
  return attributes.find(attribute) != attributes.end();
}

template <typename T>
const T& Node::get(std::string_view attribute) const {
  const auto found = attributes.find(attribute);
  if (found == attributes.end()) {
    const auto other = unread.find(attribute);
    user_error("{}: attribute {} is {}; {} is required", where(), quote(attribute),
               other == unread.end() ? "missing" : other->second, nn::kind_name<T>);
  }
  if (const T* value = std::get_if<T>(&found->second)) return *value;
  user_error("{}: attribute {} is {}; allowed is {}", where(), quote(attribute),
             std::visit([](const auto& v) { return nn::kind_name<std::decay_t<decltype(v)>>; },
                        found->second),
             nn::kind_name<T>);
}

std::int64_t Node::integer(std::string_view attribute) const {
  return get<std::int64_t>(attribute);
}
std::int64_t Node::integer(std::string_view attribute, std::int64_t fallback) const {
  return has(attribute) ? get<std::int64_t>(attribute) : fallback;
}
float Node::real(std::string_view attribute, float fallback) const {
  return has(attribute) ? get<float>(attribute) : fallback;
}
bool Node::flag(std::string_view attribute, bool fallback) const {
  return has(attribute) ? get<bool>(attribute) : fallback;
}
std::string Node::text(std::string_view attribute, std::string_view fallback) const {
  return has(attribute) ? get<std::string>(attribute) : std::string(fallback);
}
const std::vector<std::int64_t>& Node::integers(std::string_view attribute) const {
  return get<std::vector<std::int64_t>>(attribute);
}
std::vector<std::int64_t> Node::integers(std::string_view attribute,
                                         std::vector<std::int64_t> fallback) const {
  if (!has(attribute)) return fallback;
  // An empty list does not tell its kind.
  return get<std::vector<std::int64_t>>(attribute);
}
std::int32_t Node::type(std::string_view attribute, std::int32_t fallback) const {
  return has(attribute) ? get<TypeName>(attribute).number : fallback;
}
PartialShape Node::shape(std::string_view attribute) const {
  return has(attribute) ? get<PartialShape>(attribute) : PartialShape();
}
const nn::Tensor& Node::tensor(std::string_view attribute) const {
  return get<nn::Tensor>(attribute);
}

const Node* GraphDef::find(std::string_view name) const {
  for (const Node& node : nodes) {
    if (node.name == name) return &node;
  }
  return nullptr;
}

}  // namespace tactus::tf
