#include "firmware/cli/table.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"

namespace tactus {

Table::Table(std::vector<Column> columns) : columns_(std::move(columns)), widths_(columns_.size()) {
  for (std::size_t i = 0; i < columns_.size(); ++i) widths_[i] = columns_[i].title.size();
}

void Table::fit(const std::vector<std::string>& cells) {
  if (cells.size() != columns_.size()) {
    internal_error("{} cells for {} columns", cells.size(), columns_.size());
  }
  for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], cells[i].size());
}

std::string Table::header() const {
  std::vector<std::string> titles;
  for (const Column& column : columns_) titles.push_back(column.title);
  return line(titles);
}

std::string Table::line(const std::vector<std::string>& cells) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::string gap(widths_.at(i) - std::min(widths_[i], cells[i].size()), ' ');
    if (i > 0) text += "  ";
    text += columns_[i].align == Align::left ? cells[i] + gap : gap + cells[i];
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string Table::text(const std::vector<std::vector<std::string>>& rows) {
  for (const auto& row : rows) fit(row);
  std::string text = header();
  for (const auto& row : rows) text += line(row);
  return text;
}

}  // namespace tactus
