// Numbers in text.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>
#include <system_error>
#include <type_traits>

namespace tactus {

/// Empty unless the whole text is a number that fits the type.
template <typename Number>
[[nodiscard]] std::optional<Number> read_number(std::string_view text,
                                                [[maybe_unused]] int base = 10) {
  Number value{};
  const char* const end = text.data() + text.size();
  std::from_chars_result result{};
  if constexpr (std::is_floating_point_v<Number>) {
    result = std::from_chars(text.data(), end, value);
  } else {
    result = std::from_chars(text.data(), end, value, base);
  }
  if (result.ec != std::errc() || result.ptr != end) return std::nullopt;
  return value;
}

/// Does the same for a decimal number, or a hexadecimal one after 0x or 0X.
[[nodiscard]] inline std::optional<std::uint64_t> read_decimal_or_hex(std::string_view text) {
  const bool hex = text.size() > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
  return hex ? read_number<std::uint64_t>(text.substr(2), 16) : read_number<std::uint64_t>(text);
}

}  // namespace tactus
