// Rows of comma-separated values, as in RFC 4180 except that lines end in "
// ".
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "isa/support/json_text.h"
#include "isa/support/read_number.h"

namespace tactus {

/// True if a spreadsheet would evaluate the cell: it begins like a formula and is not a number.
[[nodiscard]] inline bool is_formula(std::string_view text) {
  if (text.size() < 2 || std::string_view("=+-@").find(text[0]) == std::string_view::npos) {
    return false;
  }
  return !read_number<double>(text.substr(text[0] == '+' && text[1] != '-' ? 1 : 0));
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

/// Adds the cells of a JSON value, not quoted, by name: keys of nested objects are joined by dots.
inline void add_named_cells(const nlohmann::ordered_json& value, const std::string& name,
                            std::vector<std::pair<std::string, std::string>>& cells) {
  if (!value.is_object()) {
    cells.emplace_back(name, value.is_string() ? value.get<std::string>()
                             : value.is_null() ? std::string()
                                               : text_of_json(value));
    return;
  }
  for (const auto& [key, inner] : value.items()) {
    add_named_cells(inner, name.empty() ? key : name + "." + key, cells);
  }
}

/// A line with its line end.
[[nodiscard]] inline std::string csv_row(const std::vector<std::string>& cells) {
  std::string row;
  for (std::size_t i = 0; i < cells.size(); ++i) row += (i == 0 ? "" : ",") + csv_cell(cells[i]);
  return row + "\n";
}

}  // namespace tactus
