// Tables that people write by hand or with a spreadsheet: rows of comma-separated cells.
//
// Spaces and quotes around a cell, empty rows, text behind a #, and the empty cell behind a comma
// at the end of a row mean nothing. The first row is a header if it has several cells and none of
// them is a number.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace tactus {

struct TableRow {
  std::size_t line = 0;                 ///< of the file, from 1
  std::vector<std::string_view> cells;  ///< at least one
};

struct Table {
  std::vector<std::string_view> header;  ///< empty: there is none
  std::vector<TableRow> rows;
};

/// The cells lead into `text`.
[[nodiscard]] Table read_table(std::string_view text);

}  // namespace tactus
