// Rows of comma-separated values, as in RFC 4180 except that lines end in "
// ".
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
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

/// Cells of a row, not quoted, each with the name of its column.
using NamedCells = std::vector<std::pair<std::string, std::string>>;

/// Adds the cells of a JSON value: keys of nested objects are joined by dots.
inline void add_named_cells(const nlohmann::ordered_json& value, const std::string& name,
                            NamedCells& cells) {
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

/// A table of `count` rows; rows may lack cells. Columns are in the order in which their names
/// first appear. cells_of(i) gives the named cells of row i. It is called twice for each row, since
/// the cells of all rows together may be many times larger than what they are made from.
template <typename CellsOf>
[[nodiscard]] std::string named_csv(std::size_t count, const CellsOf& cells_of) {
  std::vector<std::string> columns;
  std::unordered_map<std::string, std::size_t> places;
  for (std::size_t i = 0; i < count; ++i) {
    for (const auto& [name, text] : cells_of(i)) {
      if (places.emplace(name, columns.size()).second) columns.push_back(name);
    }
  }
  std::string csv = csv_row(columns);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::string> row(columns.size());
    for (const auto& [name, text] : cells_of(i)) row[places.at(name)] = text;
    csv += csv_row(row);
  }
  return csv;
}

}  // namespace tactus
