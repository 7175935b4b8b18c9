// Rows of comma-separated values, as RFC 4180 has them but for line ends, which are "\n".
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tactus {

/// Whether a spreadsheet would compute the cell: it begins like a formula and is no number.
[[nodiscard]] inline bool is_formula(std::string_view text) {
  if (text.size() < 2 || std::string_view("=+-@").find(text[0]) == std::string_view::npos) {
    return false;
  }
  double number = 0;
  const char* const first = text.data() + (text[0] == '+' && text[1] != '-' ? 1 : 0);
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(first, end, number);
  return error != std::errc() || stop != end;
}

/// In quotes if it holds a comma, a quote or an end of a line; behind an apostrophe if it would be
/// a formula.
[[nodiscard]] inline std::string csv_cell(std::string_view text) {
  std::string formula;
  if (is_formula(text)) text = formula = "'" + std::string(text);
  if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"') quoted += '"';
    quoted += c;
  }
  return quoted + "\"";
}

/// A line with its end.
[[nodiscard]] inline std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) row += (i == 0 ? "" : ",") + csv_cell(cells[i]);
  return row + "\n";
}

}  // namespace tactus
