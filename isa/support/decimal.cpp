#include "isa/support/decimal.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <system_error>

namespace tactus {
namespace {

/// True if a well-formed decimal number is below 1 in magnitude. Distinguishes underflow from
/// overflow, which std::from_chars reports with one code.
bool is_below_one(std::string_view number) {
  const std::size_t e = number.find_first_of("eE");
  const std::string_view digits = number.substr(0, e);
  const std::size_t point = std::min(digits.find('.'), digits.size());
  const std::size_t leading = digits.find_first_of("123456789");
  if (leading == std::string_view::npos) return true;
  // Decimal exponent of the leading digit: 7.0 -> 0, 70 -> 1, 0.7 -> -1.
  std::int64_t exponent = leading < point ? static_cast<std::int64_t>(point - leading) - 1
                                          : -static_cast<std::int64_t>(leading - point);
  if (e == std::string_view::npos) return exponent < 0;
  std::string_view written = number.substr(e + 1);
  if (written.front() == '+') written.remove_prefix(1);
  std::int64_t power = 0;
  const auto result = std::from_chars(written.data(), written.data() + written.size(), power);
  if (result.ec == std::errc::result_out_of_range) return written.front() == '-';
  // larger than any text; the sum cannot overflow
  constexpr std::int64_t huge = std::int64_t{1} << 40;
  return exponent + std::clamp(power, -huge, huge) < 0;
}

template <typename Float>
bool parse(std::string_view number, Float& value) {
  const char* const end = number.data() + number.size();
  const auto result = std::from_chars(number.data(), end, value);
  if (result.ptr != end) return false;
  if (result.ec == std::errc::result_out_of_range) {
    value = is_below_one(number) ? Float{0} : std::numeric_limits<Float>::infinity();
    return true;
  }
  return result.ec == std::errc();
}

}  // namespace

bool parse_decimal(std::string_view text, double& value) { return parse(text, value); }

float nearest_float(std::string_view text, double value) {
  // Rounding is monotonic: the double is on the same side as the number of every float and every
  // midpoint between two floats, or equal to it. Only a double on a midpoint does not tell which
  // way to round. Midpoints have a 1 and 28 zeroes below a float's 23 fraction bits, except among
  // subnormal floats.
  std::uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  constexpr std::uint64_t below_float = (std::uint64_t{1} << 29) - 1;
  const double magnitude = std::fabs(value);
  const bool normal = magnitude >= 0x1p-126 && magnitude < 0x1p127;
  if (normal && (bits & below_float) != std::uint64_t{1} << 28) return static_cast<float>(value);
  float narrow = 0;
  (void)parse(text, narrow);  // cannot fail: the double was parsed from the same text
  return narrow;
}

}  // namespace tactus
