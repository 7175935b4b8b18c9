// The loop of spec section 1, element by element. All fast kernels are tested against it. Built
// without contraction, because each product and each sum must be rounded.
#include <array>
#include <cmath>
#include <cstring>

#include "isa/dpas/exact_sum.h"
#include "isa/dpas/formats.h"
#include "isa/dpas/semantics.h"

namespace tactus::dpas {
namespace {

constexpr unsigned most_channels = 16;
constexpr unsigned most_rows = 8;
constexpr unsigned dword_bits = 32;

/// Element (k, n) or (r, k) of an operand; places as in spec section 3.
std::uint32_t weight(const DpasConfig& config, const std::uint8_t* src1, unsigned k, unsigned n) {
  const unsigned bits = info(config.w).bits;
  const unsigned in_dword = dword_bits / bits;
  const unsigned dword = k / in_dword * config.execution_size + n;
  return formats::element(src1 + std::size_t{dword} * 4, bits, k % in_dword);
}

std::uint32_t activation(const DpasConfig& config, unsigned ops, const std::uint8_t* src2,
                         unsigned r, unsigned k) {
  return formats::element(src2, info(config.a).bits, r * 8 * ops + k);
}

std::int64_t integer_of(Precision precision, std::uint32_t bits) {
  const PrecisionInfo& format = info(precision);
  const std::int64_t value = bits;
  const bool negative = format.is_signed && (bits >> (format.bits - 1U)) != 0;
  return negative ? value - (std::int64_t{1} << format.bits) : value;
}

bool is_denormal(float value) { return value != 0 && std::fabs(value) < 0x1p-126F; }

float flushed(float value, bool flush) {
  return flush && is_denormal(value) ? std::copysign(0.0F, value) : value;
}

/// True if the exponent field is zero, which is how every element format marks denormals.
bool is_denormal(Precision precision, std::uint32_t bits) {
  switch (precision) {
    case Precision::bf:
      return (bits & 0x7F80U) == 0;
    case Precision::hf:
      return (bits & 0x7C00U) == 0;
    case Precision::bf8:
      return (bits & 0x7CU) == 0;
    case Precision::hf8:
      return (bits & 0x78U) == 0;
    case Precision::e2m1:
      return (bits & 6U) == 0;
    default:
      return (bits & 0x7F800000U) == 0;
  }
}

float float_element(Precision precision, std::uint32_t bits, const Numerics& numerics) {
  if (precision == Precision::tf32 && numerics.tf32_truncate) bits &= 0xFFFFE000U;
  const float value = to_float(precision, bits);
  if (numerics.ftz_in && is_denormal(precision, bits)) return std::copysign(0.0F, value);
  return value;
}

float accumulator_element(const DpasConfig& config, const std::uint8_t* src0, unsigned index) {
  if (config.src0_null) return 0;
  if (config.src0_type == Type::f) {
    const float value = formats::float_of(formats::element(src0, 32, index));
    return flushed(value, config.numerics.ftz_in);
  }
  const Precision precision = config.src0_type == Type::bf ? Precision::bf : Precision::hf;
  return float_element(precision, formats::element(src0, 16, index), config.numerics);
}

float float_dot(const DpasConfig& config, unsigned ops, float start, const float* a,
                const float* b) {
  const bool flush = config.numerics.ftz_out;
  const unsigned k_count = ops * config.systolic_depth;
  if (config.numerics.float_mode == FloatMode::seq) {
    float sum = start;
    for (unsigned k = 0; k < k_count; ++k) {
      sum = flushed(sum + flushed(a[k] * b[k], flush), flush);
    }
    return sum;
  }
  if (config.numerics.float_mode == FloatMode::dot) {
    float sum = start;
    for (unsigned first = 0; first < k_count; first += ops) {
      ExactSum stage;
      stage.add(sum);
      for (unsigned k = first; k < first + ops; ++k) stage.add_product(a[k], b[k]);
      sum = stage.rounded(flush);
    }
    return sum;
  }
  ExactSum sum;
  sum.add(start);
  for (unsigned k = 0; k < k_count; ++k) sum.add_product(a[k], b[k]);
  return sum.rounded(flush);
}

void store_float(const DpasConfig& config, float value, unsigned index, std::uint8_t* out) {
  if (config.dst_type == Type::f) {
    const std::uint32_t bits = std::isnan(value) ? formats::canonical_nan : formats::bits_of(value);
    std::memcpy(out + std::size_t{index} * 4, &bits, 4);
    return;
  }
  std::uint16_t bits = config.dst_type == Type::bf ? float_to_bf(value) : float_to_hf(value);
  const unsigned exponent = config.dst_type == Type::bf ? 0x7F80U : 0x7C00U;
  if (config.numerics.ftz_out && (bits & exponent) == 0) bits &= 0x8000U;
  std::memcpy(out + std::size_t{index} * 2, &bits, 2);
}

void float_reference(const DpasConfig& config, const DpasShape& shape, std::uint8_t* out,
                     const std::uint8_t* src0, const std::uint8_t* src1, const std::uint8_t* src2) {
  std::array<float, 64> a{}, b{};
  for (unsigned r = 0; r < shape.rows; ++r) {
    for (unsigned k = 0; k < shape.k; ++k) {
      a[k] = float_element(config.a, activation(config, shape.ops, src2, r, k), config.numerics);
    }
    for (unsigned n = 0; n < shape.channels; ++n) {
      for (unsigned k = 0; k < shape.k; ++k) {
        b[k] = float_element(config.w, weight(config, src1, k, n), config.numerics);
      }
      const unsigned index = r * shape.channels + n;
      const float start = accumulator_element(config, src0, index);
      store_float(config, float_dot(config, shape.ops, start, a.data(), b.data()), index, out);
    }
  }
}

void integer_reference(const DpasConfig& config, const DpasShape& shape, std::uint8_t* out,
                       const std::uint8_t* src0, const std::uint8_t* src1,
                       const std::uint8_t* src2) {
  for (unsigned r = 0; r < shape.rows; ++r) {
    for (unsigned n = 0; n < shape.channels; ++n) {
      const unsigned index = r * shape.channels + n;
      std::int64_t sum = config.src0_null ? 0 : formats::element(src0, 32, index);
      for (unsigned k = 0; k < shape.k; ++k) {
        sum += integer_of(config.w, weight(config, src1, k, n)) *
               integer_of(config.a, activation(config, shape.ops, src2, r, k));
      }
      const auto result = static_cast<std::uint32_t>(sum);
      std::memcpy(out + std::size_t{index} * 4, &result, 4);
    }
  }
}

}  // namespace

DpasConfig config_of(const Instruction& i, const Numerics& numerics) {
  DpasConfig config;
  config.w = i.w;
  config.a = i.a;
  config.dst_type = i.dst.type;
  config.src0_null = !i.source[0].present();
  config.src0_type = config.src0_null ? i.dst.type : i.source[0].type;
  config.execution_size = i.execution_size;
  config.systolic_depth = i.systolic_depth;
  config.repeat_count = i.repeat_count;
  config.numerics = numerics;
  return config;
}

DpasShape shape_of(const DpasConfig& c) {
  return shape_of(c.w, c.a, c.dst_type, c.src0_type, c.execution_size, c.systolic_depth,
                  c.repeat_count, c.repeat_count);
}

void dpas_reference(const DpasConfig& config, std::uint8_t* dst, const std::uint8_t* src0,
                    const std::uint8_t* src1, const std::uint8_t* src2) {
  const DpasShape shape = shape_of(config);
  std::array<std::uint8_t, most_rows * most_channels * 4> out;
  if (is_integer(config.w)) {
    integer_reference(config, shape, out.data(), src0, src1, src2);
  } else {
    float_reference(config, shape, out.data(), src0, src1, src2);
  }
  std::memcpy(dst, out.data(), shape.dst_bytes);
}

}  // namespace tactus::dpas
