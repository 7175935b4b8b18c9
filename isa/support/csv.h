// Rows of comma-separated values, as RFC 4180 has them but for line ends, which are "\n".
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tactus {

/// In quotes if it holds a comma, a quote or an end of a line.
[[nodiscard]] inline std::string csv_cell(std::string_view text) {
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
