// Conversions of element formats to and from float, one by one and in loops that compilers
// vectorise. Internal to the semantics. The functions are static because files compiled for
// different processors include them.
#pragma once

#include <cstdint>
#include <cstring>

namespace tactus::dpas::formats {

static inline std::uint32_t bits_of(float value) {
  std::uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  return bits;
}

static inline float float_of(std::uint32_t bits) {
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

inline constexpr std::uint32_t canonical_nan = 0x7FC00000U;
inline constexpr std::uint16_t canonical_nan_bf = 0x7FC0U;
inline constexpr std::uint16_t canonical_nan_hf = 0x7E00U;

/// Converts exactly. Denormals are converted through an integer, since processors are slow with
/// denormal floats.
static inline std::uint32_t hf_bits(std::uint32_t half) {
  const std::uint32_t magnitude = half & 0x7FFFU;
  const std::uint32_t moved = magnitude << 13;
  const std::uint32_t denormal =
      bits_of(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-24F);
  const std::uint32_t normal = magnitude >= 0x7C00U ? moved | 0x7F800000U : moved + 0x38000000U;
  return (magnitude < 0x400U ? denormal : normal) | ((half & 0x8000U) << 16);
}

/// Rounds to nearest, ties to even; NaN becomes the canonical NaN.
static inline std::uint16_t bf_bits(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t rounded = (bits + 0x7FFFU + ((bits >> 16) & 1U)) >> 16;
  const bool nan = (bits & 0x7FFFFFFFU) > 0x7F800000U;
  return static_cast<std::uint16_t>(nan ? canonical_nan_bf : rounded);
}

/// Rounds to nearest, ties to even; NaN becomes the canonical NaN.
static inline std::uint16_t half_bits(float value) {
  const std::uint32_t bits = bits_of(value);
  const std::uint32_t magnitude = bits & 0x7FFFFFFFU;
  // Normal results: the exponent is moved from bias 127 to 15, then 13 bits are rounded away.
  const std::uint32_t normal = (magnitude - 0x38000000U + 0xFFFU + ((magnitude >> 13) & 1U)) >> 13;
  // Denormal results: the last bit of 0.5 has the weight 2^-24, so adding 0.5 rounds to multiples
  // of it.
  const std::uint32_t denormal = bits_of(float_of(magnitude) + 0.5F) - 0x3F000000U;
  std::uint32_t result = magnitude < 0x38800000U ? denormal : normal;
  result = magnitude >= 0x477FF000U ? 0x7C00U : result;  // 65520 and more become infinite
  result = magnitude > 0x7F800000U ? canonical_nan_hf : result | ((bits >> 16) & 0x8000U);
  return static_cast<std::uint16_t>(result);
}

/// Format 1-4-3 without infinities; only all ones are NaN.
static inline std::uint32_t hf8_bits(std::uint32_t byte) {
  const std::uint32_t magnitude = byte & 0x7FU;
  const std::uint32_t denormal =
      bits_of(static_cast<float>(static_cast<std::int32_t>(magnitude)) * 0x1p-9F);
  const std::uint32_t normal = magnitude == 0x7FU ? canonical_nan : (magnitude << 20) + 0x3C000000U;
  return (magnitude < 8 ? denormal : normal) | ((byte & 0x80U) << 24);
}

/// Format 1-2-1, exponent bias 1.
static inline std::uint32_t e2m1_bits(std::uint32_t nibble) {
  const std::uint32_t magnitude = nibble & 7U;
  const std::uint32_t denormal = magnitude * 0x3F000000U;  // 0 or 0.5
  const std::uint32_t normal = (magnitude << 22) + 0x3F000000U;
  return (magnitude < 2 ? denormal : normal) | ((nibble & 8U) << 28);
}

/// Element number `index` of packed elements of `bits` bits (2, 4, 8, 16 or 32) that start at
/// `bytes`.
static inline std::uint32_t element(const std::uint8_t* bytes, unsigned bits, unsigned index) {
  const unsigned at = index * bits;
  if (bits < 8) return (bytes[at / 8] >> (at % 8)) & ((1U << bits) - 1U);
  std::uint32_t value = 0;
  std::memcpy(&value, bytes + at / 8, bits / 8);
  return value;
}

}  // namespace tactus::dpas::formats
