// The three bytes that some editors and spreadsheets put at the start of UTF-8 text.
#pragma once

#include <string_view>

namespace tactus {

[[nodiscard]] inline std::string_view without_byte_order_mark(std::string_view text) {
  constexpr std::string_view mark = "\xEF\xBB\xBF";
  if (text.substr(0, mark.size()) == mark) text.remove_prefix(mark.size());
  return text;
}

}  // namespace tactus
