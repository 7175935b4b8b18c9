// A table of text, for the screen (firmware/cli/table.h), for CSV files and for pages (html.h).
#pragma once

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "isa/support/csv.h"
#include "isa/support/reference.h"

namespace tactus {

struct TextTable {
  struct Column {
    std::string title;
    bool text = false;        ///< text, at the left; else numbers
    bool says_title = false;  ///< on narrow screens a page shows the title with the text
  };
  std::vector<Column> columns;
  std::vector<std::vector<std::string>> rows;  ///< one cell for each column

  /// Begins a row, for cells that come with their columns. All rows have the same columns.
  void begin_row() { rows.emplace_back(); }
  void cell(Column column, std::string text) {
    if (rows.size() == 1) columns.push_back(std::move(column));
    rows.back().push_back(std::move(text));
  }
  void row(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }
  [[nodiscard]] std::vector<std::string> titles() const {
    std::vector<std::string> list;
    for (const Column& column : columns) list.push_back(column.title);
    return list;
  }
};

/// A line of titles, then a line for each row.
[[nodiscard]] inline std::string to_csv(const TextTable& table) {
  std::string text = csv_row(table.titles());
  for (const auto& row : table.rows) text += csv_row(row);
  return text;
}

/// The same as a table of Markdown. Line ends in cells, such as those of errors, become blanks.
[[nodiscard]] inline std::string to_markdown(const TextTable& table) {
  std::string text;
  const auto add_line = [&text](const std::vector<std::string>& cells) {
    text += "|";
    for (std::string cell : cells) {
      std::replace(cell.begin(), cell.end(), '\n', ' ');
      text += " " + markdown_cell(std::move(cell)) + " |";
    }
    text += "\n";
  };
  add_line(table.titles());
  text += "|";
  for (const TextTable::Column& column : table.columns) text += column.text ? "---|" : "---:|";
  text += "\n";
  for (const auto& row : table.rows) add_line(row);
  return text;
}

}  // namespace tactus
