// Rows of comma-separated values, as in RFC 4180 except that lines end in "
// ".
#pragma once

#include <charconv>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tactus {

/// True if a spreadsheet would evaluate the cell: it begins like a formula and is not a number.
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

/// A cell: quoted if it holds a comma, a quote or a line end; preceded by an apostrophe if it would
/// be a formula.
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

/// A line with its line end.
[[nodiscard]] inline std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) row += (i == 0 ? "" : ",") + csv_cell(cells[i]);
  return row + "\n";
}

}  // namespace tactus
