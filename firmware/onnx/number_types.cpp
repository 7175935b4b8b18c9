#include "firmware/onnx/number_types.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "isa/support/error.h"

namespace tactus::nn {
namespace {

std::uint16_t half_of(float value) {
  const auto sign = static_cast<std::uint16_t>(std::signbit(value) ? 0x8000 : 0);
  const double magnitude = std::abs(static_cast<double>(value));
  constexpr double infinite = 65520, normal = 0x1p-14;  // where rounding gives infinity; the least
  std::uint16_t code = 0;
  if (std::isnan(value)) {
    code = 0x7E00;
  } else if (magnitude >= infinite) {
    code = 0x7C00;
  } else if (magnitude < normal) {
    code = static_cast<std::uint16_t>(std::nearbyint(std::ldexp(magnitude, 24)));
  } else {
    const int exponent = std::ilogb(magnitude);
    const auto fraction =
        static_cast<int>(std::nearbyint(std::ldexp(magnitude, 10 - exponent))) - 1024;
    code = static_cast<std::uint16_t>((exponent + 15) * 1024 + fraction);  // may carry
  }
  return static_cast<std::uint16_t>(sign | code);
}

std::uint16_t brain_of(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if (std::isnan(value)) return static_cast<std::uint16_t>(bits >> 16 | 0x40);
  return static_cast<std::uint16_t>((bits + 0x7FFF + (bits >> 16 & 1)) >> 16);
}

struct WholeRange {
  std::int64_t lowest = std::numeric_limits<std::int64_t>::min();
  std::int64_t highest = std::numeric_limits<std::int64_t>::max();
};

template <typename T>
WholeRange range_of() {
  return {std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()};
}

WholeRange range_of_type(std::int32_t type) {
  switch (type) {
    case onnx_int8:
      return range_of<std::int8_t>();
    case onnx_uint8:
      return range_of<std::uint8_t>();
    case onnx_int16:
      return range_of<std::int16_t>();
    case onnx_uint16:
      return range_of<std::uint16_t>();
    case onnx_int32:
      return range_of<std::int32_t>();
    case onnx_uint32:
      return range_of<std::uint32_t>();
    case onnx_bool:
      return {0, 1};
    default:
      return {};
  }
}

std::int64_t wrapped_to(std::int32_t type, std::int64_t value) {
  switch (type) {
    case onnx_int8:
      return static_cast<std::int8_t>(value);
    case onnx_uint8:
      return static_cast<std::uint8_t>(value);
    case onnx_int16:
      return static_cast<std::int16_t>(value);
    case onnx_uint16:
      return static_cast<std::uint16_t>(value);
    case onnx_int32:
      return static_cast<std::int32_t>(value);
    case onnx_uint32:
      return static_cast<std::uint32_t>(value);
    case onnx_bool:
      return value != 0 ? 1 : 0;
    default:
      return value;
  }
}

/// Appends the elements as numbers of type T, made by convert().
template <typename T, typename Values, typename Convert>
std::string bytes_as(const Values& values, Convert&& convert) {
  std::string bytes(values.size() * sizeof(T), '\0');
  for (std::size_t i = 0; i < values.size(); ++i) {
    const T number = convert(values[i]);
    std::memcpy(bytes.data() + i * sizeof(T), &number, sizeof(T));
  }
  return bytes;
}

template <typename T>
std::string integers_as(const std::vector<std::int64_t>& values) {
  return bytes_as<T>(values, [](std::int64_t value) { return static_cast<T>(value); });
}

/// Element types that NumPy has, too, and its names of them without byte order.
constexpr struct {
  std::string_view name;
  std::int32_t type;
} numpy_types[] = {{"f4", onnx_float},  {"f8", onnx_double}, {"f2", onnx_float16},
                   {"i8", onnx_int64},  {"i4", onnx_int32},  {"i2", onnx_int16},
                   {"i1", onnx_int8},   {"u1", onnx_uint8},  {"u2", onnx_uint16},
                   {"u4", onnx_uint32}, {"b1", onnx_bool}};

}  // namespace

std::int32_t type_of_numpy(std::string_view name) {
  for (const auto& known : numpy_types) {
    if (known.name == name) return known.type;
  }
  return 0;
}

std::string numpy_type(std::int32_t type) {
  for (const auto& known : numpy_types) {
    if (known.type == type) return (known.name.back() == '1' ? "|" : "<") + std::string(known.name);
  }
  return {};
}

float float_of_half(std::uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  double value = exponent == 0    ? std::ldexp(fraction, -24)
                 : exponent == 31 ? (fraction == 0 ? std::numeric_limits<double>::infinity()
                                                   : std::numeric_limits<double>::quiet_NaN())
                                  : std::ldexp(1024 + fraction, exponent - 25);
  if ((bits & 0x8000) != 0) value = -value;
  return static_cast<float>(value);
}

float float_of_brain(std::uint16_t bits) {
  const std::uint32_t wide = std::uint32_t{bits} << 16;
  float value = 0;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

bool is_real_number(std::int64_t type) {
  return type == onnx_float || type == onnx_double || type == onnx_float16 || type == onnx_bfloat16;
}

bool is_whole_number(std::int64_t type) {
  return type == onnx_int64 || type == onnx_bool ||
         range_of_type(static_cast<std::int32_t>(type)).highest < WholeRange().highest;
}

std::int32_t type_of(const Tensor& tensor) {
  const bool real = tensor.type == ElementType::float32;
  if (tensor.stored != 0 && is_real_number(tensor.stored) == real) return tensor.stored;
  return real ? onnx_float : onnx_int64;
}

void wrap_integers(Tensor& tensor) {
  if (tensor.stored == 0) return;
  for (std::int64_t& value : tensor.integers) value = wrapped_to(tensor.stored, value);
}

float rounded_to(std::int32_t type, float value) {
  if (type == onnx_float16) return float_of_half(half_of(value));
  if (type == onnx_bfloat16) return float_of_brain(brain_of(value));
  return value;
}

Tensor as_type(const Tensor& tensor, std::int32_t type) {
  Tensor result;
  result.shape = tensor.shape;
  result.stored = type == onnx_float || type == onnx_int64 ? 0 : type;
  if (is_real_number(type)) {
    result.floats = tensor.reals();
    for (float& value : result.floats) value = rounded_to(type, value);
    return result;
  }
  result.type = ElementType::int64;
  result.integers = tensor.integers;
  const WholeRange range = range_of_type(type);
  for (const float value : tensor.floats) {
    const double whole = std::isnan(value) ? 0 : std::nearbyint(static_cast<double>(value));
    result.integers.push_back(whole <= static_cast<double>(range.lowest) ? range.lowest
                              : whole >= static_cast<double>(range.highest)
                                  ? range.highest
                                  : static_cast<std::int64_t>(whole));
  }
  wrap_integers(result);
  return result;
}

std::string raw_bytes_of(const Tensor& tensor) {
  const std::vector<std::int64_t>& whole = tensor.integers;
  const std::vector<float>& real = tensor.floats;
  switch (type_of(tensor)) {
    case onnx_float:
      return bytes_as<float>(real, [](float value) { return value; });
    case onnx_double:
      return bytes_as<double>(real, [](float value) { return static_cast<double>(value); });
    case onnx_float16:
      return bytes_as<std::uint16_t>(real, half_of);
    case onnx_bfloat16:
      return bytes_as<std::uint16_t>(real, brain_of);
    case onnx_bool:
    case onnx_int8:
    case onnx_uint8:
      return integers_as<std::uint8_t>(whole);
    case onnx_int16:
    case onnx_uint16:
      return integers_as<std::uint16_t>(whole);
    case onnx_int32:
    case onnx_uint32:
      return integers_as<std::uint32_t>(whole);
    case onnx_int64:
      return integers_as<std::int64_t>(whole);
    default:
      internal_error("a tensor has elements of type {}", tensor.stored);
  }
}

}  // namespace tactus::nn
