// Reference tables of an instruction set, printed as text and as Markdown.
#pragma once

#include <string>
#include <vector>

namespace tactus {

struct ReferenceTable {
  std::string title;
  std::string about;                           ///< sentences before the table
  std::vector<std::string> columns;            ///< the first names the row
  std::vector<std::vector<std::string>> rows;  ///< one cell per column
  std::string listing;                         ///< program text behind the table; may be empty
};

/// Text: the name of each row on a line, below it the other cells with the titles of their columns.
[[nodiscard]] std::string to_text(const ReferenceTable& table);
/// Markdown; the first column is set as code.
[[nodiscard]] std::string to_markdown(const ReferenceTable& table);

/// Text for a cell of a Markdown table.
[[nodiscard]] std::string markdown_cell(std::string text);

}  // namespace tactus
