#include "isa/tcu/arithmetic.h"

#include <algorithm>
#include <cmath>
#include <cstring>

namespace tactus::tcu {

namespace {

std::int64_t saturate(const DataTypeInfo& type, std::int64_t value) {
  return std::clamp(value, type.min(), type.max());
}

/// value / 2^point, rounded half to even. Adds just under half, and one more if the rounded-down
/// quotient is odd: then a tie reaches the next (even) quotient, and all other values are
/// unaffected. |value| is at most 2^62 + 2^47 (FP32BP16), below 2^63 - 2^point for every type.
std::int64_t round_half_even(std::int64_t value, unsigned point) {
  const std::int64_t half = std::int64_t{1} << (point - 1);
  const std::int64_t odd = (value >> point) & 1;
  return (value + (half - 1) + odd) >> point;
}

std::int64_t one(const DataTypeInfo& type) { return std::int64_t{1} << type.binary_point; }

}  // namespace

std::int64_t mac(DataType type, MacRounding rounding, std::int64_t x, std::int64_t y,
                 std::int64_t z) {
  const DataTypeInfo& format = info(type);
  const unsigned point = format.binary_point;
  if (rounding == MacRounding::legacy) {
    return saturate(format, saturate(format, round_half_even(x * y, point)) + z);
  }
  return saturate(format, round_half_even(x * y + z * one(format), point));
}

std::int64_t saturating_add(DataType type, std::int64_t a, std::int64_t b) {
  return saturate(info(type), a + b);
}

std::int64_t alu(DataType type, SimdOp op, std::int64_t left, std::int64_t right) {
  const DataTypeInfo& format = info(type);
  const auto truth = [&](bool condition) { return condition ? one(format) : 0; };
  switch (op) {
    case SimdOp::no_op:
    case SimdOp::move:
      return left;
    case SimdOp::zero:
      return 0;
    case SimdOp::not_:
      return truth(left == 0);
    case SimdOp::and_:
      return truth(left != 0 && right != 0);
    case SimdOp::or_:
      return truth(left != 0 || right != 0);
    case SimdOp::increment:
      return saturate(format, left + one(format));
    case SimdOp::decrement:
      return saturate(format, left - one(format));
    case SimdOp::add:
      return saturate(format, left + right);
    case SimdOp::subtract:
      return saturate(format, left - right);
    // both MacRounding modes give the same result for a product without a sum
    case SimdOp::multiply:
      return mac(type, MacRounding::sum, left, right, 0);
    case SimdOp::abs:  // negating the minimum wraps, since it has no positive counterpart
      return left == format.min() || left >= 0 ? left : -left;
    case SimdOp::greater_than:
      return truth(left > right);
    case SimdOp::greater_than_equal:
      return truth(left >= right);
    case SimdOp::min:
      return std::min(left, right);
    case SimdOp::max:
      return std::max(left, right);
    case SimdOp::lookup:  // its result depends on tables
      break;
  }
  return left;
}

std::int64_t quantise(DataType type, float value) {
  const DataTypeInfo& format = info(type);
  const float scaled = value * static_cast<float>(one(format));
  if (std::isnan(scaled)) return 0;  // like the toolchain's conversion; readers reject NaN anyway
  // x + 0.5 is exact in double wherever it decides the result; in float 0.49999997 + 0.5 would be
  // 1.
  const double rounded = std::floor(static_cast<double>(scaled) + 0.5);
  // Saturates before the conversion, since infinity cannot be converted to an integer.
  return static_cast<std::int64_t>(
      std::clamp(rounded, static_cast<double>(format.min()), static_cast<double>(format.max())));
}

double to_real(DataType type, std::int64_t mantissa) {
  return static_cast<double>(mantissa) / static_cast<double>(one(info(type)));
}

std::int64_t round_half_even(DataType type, double value) {
  const DataTypeInfo& format = info(type);
  const double exact = value * static_cast<double>(one(format));
  if (exact <= static_cast<double>(format.min())) return format.min();
  if (exact >= static_cast<double>(format.max())) return format.max();
  // Both parts are exact below 2^32.
  const double below = std::floor(exact);
  const auto mantissa = static_cast<std::int64_t>(below);
  const double rest = exact - below;
  return mantissa + (rest > 0.5 || (rest == 0.5 && (mantissa & 1) != 0) ? 1 : 0);
}

std::int64_t lane(DataType type, const void* lanes, std::size_t i) {
  const auto load = [&](auto value) -> std::int64_t {
    std::memcpy(&value, static_cast<const char*>(lanes) + i * sizeof value, sizeof value);
    return value;
  };
  switch (type) {
    case DataType::fp8bp4:
      return load(std::int8_t{});
    case DataType::fp16bp8:
      return load(std::int16_t{});
    case DataType::fp18bp10:
    case DataType::fp32bp16:
      break;
  }
  return load(std::int32_t{});
}

void set_lane(DataType type, void* lanes, std::size_t i, std::int64_t mantissa) {
  const auto store = [&](auto value) {
    std::memcpy(static_cast<char*>(lanes) + i * sizeof value, &value, sizeof value);
  };
  switch (type) {
    case DataType::fp8bp4:
      return store(static_cast<std::int8_t>(mantissa));
    case DataType::fp16bp8:
      return store(static_cast<std::int16_t>(mantissa));
    case DataType::fp18bp10:
    case DataType::fp32bp16:
      break;
  }
  store(static_cast<std::int32_t>(mantissa));
}

}  // namespace tactus::tcu
