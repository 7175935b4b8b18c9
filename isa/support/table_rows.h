// Tables of comma-separated cells, as users write them by hand or with a spreadsheet.
//
// Ignored are spaces and quotes around a cell, empty rows, text behind a #, and the empty cell
// behind a trailing comma. The first row is a header if it has several cells and none is a number.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tactus {

struct TableRow {
  std::size_t line = 0;                 ///< line in the file, from 1
  std::vector<std::string_view> cells;  ///< at least one
};

struct CsvTable {
  std::vector<std::string_view> header;  ///< empty: no header
  std::vector<TableRow> rows;
};

/// The cell without these characters at its begin and end.
[[nodiscard]] std::string_view trimmed(std::string_view cell, std::string_view blanks = " \t\r");
/// The parts of a text between separators, at least one.
[[nodiscard]] std::vector<std::string_view> split(std::string_view text, char separator);

/// Splits a text into rows; the cells are views into `text`.
[[nodiscard]] CsvTable read_table(std::string_view text);

}  // namespace tactus
