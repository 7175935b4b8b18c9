// Mantissa arithmetic: 64 bits, wrapping, defined for every operand. Source: dais.md section 2.
#pragma once

#include <cmath>
#include <cstdint>
#include <limits>

namespace tactus::dais {

using Mantissa = std::int64_t;

inline std::uint64_t bits_of(Mantissa m) { return static_cast<std::uint64_t>(m); }
inline Mantissa from_bits(std::uint64_t bits) { return static_cast<Mantissa>(bits); }

inline Mantissa add(Mantissa a, Mantissa b) { return from_bits(bits_of(a) + bits_of(b)); }
inline Mantissa multiply(Mantissa a, Mantissa b) { return from_bits(bits_of(a) * bits_of(b)); }
inline Mantissa negate(Mantissa m) { return from_bits(0 - bits_of(m)); }

/// `count` is 0..63.
inline Mantissa shift_left(Mantissa m, unsigned count) { return from_bits(bits_of(m) << count); }
/// Shifts arithmetically: rounds towards minus infinity.
inline Mantissa shift_right(Mantissa m, unsigned count) { return m >> count; }

/// The low `width` bits (0..64) set.
inline std::uint64_t low_mask(unsigned width) {
  return width >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << width) - 1;
}

/// The sign bit of a signed type, 0 for an unsigned one: what cut() flips and subtracts.
inline std::uint64_t sign_bit(unsigned width, bool is_signed) {
  return is_signed && width > 0 ? std::uint64_t{1} << (width - 1) : 0;
}

/// Keeps the low `width` bits, and extends the sign if the type is signed.
inline Mantissa cut(Mantissa m, unsigned width, bool is_signed) {
  const std::uint64_t sign = sign_bit(width, is_signed);
  return from_bits(((bits_of(m) & low_mask(width)) ^ sign) - sign);
}

/// Rounds down. Infinities, NaN and values that no 64-bit integer holds become the smallest
/// integer, as on x86.
inline Mantissa floor_to_mantissa(double value) {
  constexpr double end = 9223372036854775808.0;  // 2^63
  if (!(value >= -end && value < end)) return std::numeric_limits<Mantissa>::min();
  return static_cast<Mantissa>(std::floor(value));
}

}  // namespace tactus::dais
