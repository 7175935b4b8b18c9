#include "firmware/onnx/graph.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "firmware/onnx/value_kinds.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::nn {
namespace {

std::string_view kind_of(const Attribute& attribute) {
  return std::visit([](const auto& value) { return kind_name<std::decay_t<decltype(value)>>; },
                    attribute);
}

}  // namespace

std::string_view name_of(ElementType type) {
  return type == ElementType::float32 ? "FLOAT" : "INT64";
}

std::string_view name_of(ElementType type, std::int32_t stored) {
  switch (stored) {
    case onnx_uint8:
      return "UINT8";
    case onnx_int8:
      return "INT8";
    case onnx_uint16:
      return "UINT16";
    case onnx_int16:
      return "INT16";
    case onnx_int32:
      return "INT32";
    case onnx_bool:
      return "BOOL";
    case onnx_float16:
      return "FLOAT16";
    case onnx_double:
      return "DOUBLE";
    case onnx_uint32:
      return "UINT32";
    case onnx_bfloat16:
      return "BFLOAT16";
    default:
      return name_of(type);
  }
}

std::string to_string(const Shape& shape) { return fmt::format("[{}]", fmt::join(shape, ",")); }

std::int64_t element_count(const Shape& shape, std::string_view what) {
  constexpr std::int64_t most = std::int64_t{1} << 31;
  std::int64_t count = 1;
  bool empty = false;
  bool too_many = false;
  for (const std::int64_t size : shape) {
    if (size < 0) user_error("{}: shape {} has a negative size", what, to_string(shape));
    empty = empty || size == 0;
    too_many = too_many || (size != 0 && count > most / size);
    if (!too_many && size != 0) count *= size;
  }
  if (empty) return 0;
  if (too_many) user_error("{}: shape {} has more than 2^31 elements", what, to_string(shape));
  return count;
}

Tensor Tensor::of(Shape shape, std::vector<float> values) {
  if (element_count(shape) != static_cast<std::int64_t>(values.size())) {
    internal_error("a tensor of shape {} was given {} values", to_string(shape), values.size());
  }
  Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.floats = std::move(values);
  return tensor;
}

Tensor Tensor::of(Shape shape, std::vector<std::int64_t> values) {
  if (element_count(shape) != static_cast<std::int64_t>(values.size())) {
    internal_error("a tensor of shape {} was given {} values", to_string(shape), values.size());
  }
  Tensor tensor;
  tensor.shape = std::move(shape);
  tensor.type = ElementType::int64;
  tensor.integers = std::move(values);
  return tensor;
}

Tensor Tensor::zeros(Shape shape) {
  Tensor tensor;
  tensor.floats.resize(static_cast<std::size_t>(element_count(shape)));
  tensor.shape = std::move(shape);
  return tensor;
}

std::vector<float> Tensor::reals() const {
  if (type == ElementType::float32) return floats;
  return {integers.begin(), integers.end()};
}

Tensor Tensor::rounded(std::int32_t kept) const {
  std::vector<std::int64_t> whole = integers;
  for (const float value : floats) whole.push_back(std::llround(value));
  Tensor result = of(shape, std::move(whole));
  result.stored = kept;
  return result;
}

bool Tensor::operator==(const Tensor& other) const {
  return shape == other.shape && type == other.type && floats == other.floats &&
         integers == other.integers;
}

std::string Node::where() const {
  return fmt::format("{}{}node {} ({})", file, file.empty() ? "" : ": ", quote(name),
                     printable(domain.empty() ? op_type : domain + "." + op_type));
}

bool Node::has(std::string_view attribute) const {
  return attributes.find(attribute) != attributes.end();
}

template <typename T>
const T& Node::get(std::string_view attribute) const {
  const auto found = attributes.find(attribute);
  if (found == attributes.end()) {
    user_error("{}: attribute {} is missing; {} is required", where(), quote(attribute),
               kind_name<T>);
  }
  if (const T* value = std::get_if<T>(&found->second)) return *value;
  user_error("{}: attribute {} is {}; allowed is {}", where(), quote(attribute),
             kind_of(found->second), kind_name<T>);
}

std::int64_t Node::integer(std::string_view attribute) const {
  return get<std::int64_t>(attribute);
}
std::int64_t Node::integer(std::string_view attribute, std::int64_t fallback) const {
  return has(attribute) ? get<std::int64_t>(attribute) : fallback;
}
float Node::real(std::string_view attribute) const { return get<float>(attribute); }
float Node::real(std::string_view attribute, float fallback) const {
  return has(attribute) ? get<float>(attribute) : fallback;
}
const std::string& Node::text(std::string_view attribute) const {
  return get<std::string>(attribute);
}
std::string Node::text(std::string_view attribute, std::string_view fallback) const {
  return has(attribute) ? get<std::string>(attribute) : std::string(fallback);
}
const std::vector<std::int64_t>& Node::integers(std::string_view attribute) const {
  return get<std::vector<std::int64_t>>(attribute);
}
std::vector<std::int64_t> Node::integers(std::string_view attribute,
                                         std::vector<std::int64_t> fallback) const {
  if (has(attribute)) return get<std::vector<std::int64_t>>(attribute);
  return fallback;
}
const std::vector<float>& Node::reals(std::string_view attribute) const {
  return get<std::vector<float>>(attribute);
}
std::vector<float> Node::reals(std::string_view attribute, std::vector<float> fallback) const {
  if (has(attribute)) return get<std::vector<float>>(attribute);
  return fallback;
}
std::vector<std::string> Node::texts(std::string_view attribute,
                                     std::vector<std::string> fallback) const {
  if (has(attribute)) return get<std::vector<std::string>>(attribute);
  return fallback;
}
const Tensor& Node::tensor(std::string_view attribute) const { return get<Tensor>(attribute); }

const Tensor* Graph::initializer(std::string_view value) const {
  const auto found = initializers.find(value);
  return found == initializers.end() ? nullptr : &found->second;
}

const Node* Graph::producer(std::string_view value) const {
  if (value.empty()) return nullptr;
  for (const Node& node : nodes) {
    if (std::find(node.outputs.begin(), node.outputs.end(), value) != node.outputs.end()) {
      return &node;
    }
  }
  return nullptr;
}

}  // namespace tactus::nn
