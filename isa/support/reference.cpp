#include "isa/support/reference.h"

#include <algorithm>

#include <fmt/format.h>

namespace tactus {

std::string markdown_cell(std::string text) {
  for (std::size_t at = 0; (at = text.find('|', at)) != std::string::npos; at += 2) {
    text.insert(at, "\\");
  }
  return text;
}

std::string to_text(const ReferenceTable& table) {
  std::string out = table.title + "\n\n";
  if (!table.about.empty()) out += table.about + "\n\n";
  std::size_t width = 0;
  for (const std::string& column : table.columns) width = std::max(width, column.size());
  for (const std::vector<std::string>& row : table.rows) {
    out += row.front() + "\n";
    for (std::size_t i = 1; i < row.size(); ++i) {
      if (!row[i].empty()) out += fmt::format("    {:<{}}  {}\n", table.columns[i], width, row[i]);
    }
  }
  if (!table.listing.empty()) out += (table.rows.empty() ? "" : "\n") + table.listing;
  return out;
}

std::string to_markdown(const ReferenceTable& table) {
  std::string out = fmt::format("#### {}\n\n", table.title);
  if (!table.about.empty()) out += table.about + "\n\n";
  if (!table.rows.empty()) {
    out += fmt::format("| {} |\n|", fmt::join(table.columns, " | "));
    for (std::size_t i = 0; i < table.columns.size(); ++i) out += "---|";
    out += "\n";
  }
  for (const std::vector<std::string>& row : table.rows) {
    out += fmt::format("| `{}` |", markdown_cell(row.front()));
    for (std::size_t i = 1; i < row.size(); ++i) out += fmt::format(" {} |", markdown_cell(row[i]));
    out += "\n";
  }
  if (!table.listing.empty()) {
    out += fmt::format("{}```\n{}```\n", table.rows.empty() ? "" : "\n", table.listing);
  }
  return out;
}

}  // namespace tactus
