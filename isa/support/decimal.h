// Conversion of decimal text to the nearest double and float, independent of the locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactus {

/// Reads the whole text as the nearest double. False if it is not a number by the rules of
/// std::from_chars. Too small numbers become zero, too large ones infinite.
[[nodiscard]] bool parse_decimal(std::string_view text, double& value);

/// The float nearest to the number that parse_decimal() read as `value`. Converting the double
/// would round twice.
[[nodiscard]] float nearest_float(std::string_view text, double value);

namespace decimal_detail {

inline const char* read_digits(const char* at, const char* end, std::uint64_t& number) {
  for (; at != end; ++at) {
    const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
    if (digit > 9) break;
    number = number * 10 + digit;  // wraps only for more than most_digits digits
  }
  return at;
}

/// Digits that fit 64 bits. The power of ten of their fraction is exact in a double.
inline constexpr std::ptrdiff_t most_digits = 19;
inline constexpr double powers_of_ten[most_digits + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                          1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                          1e14, 1e15, 1e16, 1e17, 1e18, 1e19};

}  // namespace decimal_detail

/// Reads digits with at most one point and perhaps a minus sign, from `at` to their end, if their
/// nearest double is cheap to compute. Returns the end; null for any other text, which
/// parse_decimal() must read.
[[nodiscard]] inline const char* read_short_decimal(const char* at, const char* end,
                                                    double& value) {
  using namespace decimal_detail;
  const bool negative = at != end && *at == '-';
  if (negative) ++at;
  std::uint64_t digits = 0;
  const char* const first = at;
  at = read_digits(at, end, digits);
  std::ptrdiff_t count = at - first;
  std::ptrdiff_t fraction = 0;
  if (at != end && *at == '.') {
    const char* const point = at;
    at = read_digits(at + 1, end, digits);
    fraction = at - point - 1;
    count += fraction;
  }
  constexpr std::uint64_t exact = std::uint64_t{1} << 53;
  if (count == 0 || count > most_digits || digits > exact) return nullptr;
  // The quotient of two exact doubles is rounded once, so it is the nearest.
  const double magnitude =
      static_cast<double>(static_cast<std::int64_t>(digits)) / powers_of_ten[fraction];
  value = negative ? -magnitude : magnitude;
  return at;
}

}  // namespace tactus
