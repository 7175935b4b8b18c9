// Tables of an instruction set, printed as text and as Markdown.
#pragma once

#include <string>
#include <vector>

namespace tactus {

struct ReferenceTable {
  std::string title;
  std::string about;                           ///< sentences before the table
  std::vector<std::string> columns;            ///< the first names the row
  std::vector<std::vector<std::string>> rows;  ///< a cell a column
  std::string listing;                         ///< program text behind the table; may be empty
};

/// The name of each row on a line, the other cells below it with their columns' titles.
[[nodiscard]] std::string to_text(const ReferenceTable& table);
/// The first column is set as code.
[[nodiscard]] std::string to_markdown(const ReferenceTable& table);

/// Text for a cell of a Markdown table.
[[nodiscard]] std::string markdown_cell(std::string text);

}  // namespace tactus
