// Decimal numbers as text: the nearest double and float, whatever the locale.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace tactus {

/// Reads the nearest double of a whole text; false if it is not what std::from_chars calls a
/// number. What is too small becomes zero, what is too large infinite.
[[nodiscard]] bool parse_decimal(std::string_view text, double& value);

/// The float nearest to the number that parse_decimal read as `value`. Not the same as converting
/// the double, which rounds a second time.
[[nodiscard]] float nearest_float(std::string_view text, double value);

namespace decimal_detail {

inline const char* read_digits(const char* at, const char* end, std::uint64_t& number) {
  for (; at != end; ++at) {
    const unsigned digit = static_cast<unsigned char>(*at) - unsigned{'0'};
    if (digit > 9) break;
    number = number * 10 + digit;  // wraps only where there are more than most_digits
  }
  return at;
}

/// What 64 bits hold, so that a double holds the power of ten of their fraction exactly.
inline constexpr std::ptrdiff_t most_digits = 19;
inline constexpr double powers_of_ten[most_digits + 1] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,
                                                          1e7,  1e8,  1e9,  1e10, 1e11, 1e12, 1e13,
                                                          1e14, 1e15, 1e16, 1e17, 1e18, 1e19};

}  // namespace decimal_detail

/// Reads digits with at most one point among them and perhaps a minus sign, from `at` to where they
/// end, if their nearest double is cheap to find. Returns that end; null for anything else, a
/// number or not, which is then for parse_decimal.
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
  // A quotient of two doubles that are exact is rounded once: it is the nearest.
  const double magnitude =
      static_cast<double>(static_cast<std::int64_t>(digits)) / powers_of_ten[fraction];
  value = negative ? -magnitude : magnitude;
  return at;
}

}  // namespace tactus
