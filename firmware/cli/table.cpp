#include "firmware/cli/table.h"

#include <algorithm>
#include <utility>

#include "isa/support/error.h"

namespace tactus {

void Table::fit(const std::vector<std::string>& cells) {
  if (cells.size() != columns.size()) {
    internal_error("{} cells for {} columns", cells.size(), columns.size());
  }
  widths_.resize(cells.size());
  for (std::size_t i = 0; i < cells.size(); ++i) widths_[i] = std::max(widths_[i], cells[i].size());
}

std::string Table::header() const { return line(titles()); }

std::string Table::line(const std::vector<std::string>& cells) const {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t width =
        std::max(columns.at(i).title.size(), i < widths_.size() ? widths_[i] : 0);
    const std::string gap(width - std::min(width, cells[i].size()), ' ');
    if (i > 0) text += "  ";
    text += columns[i].text ? cells[i] + gap : gap + cells[i];
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text + "\n";
}

std::string Table::text() {
  for (const auto& row : rows) fit(row);
  std::string text = header();
  for (const auto& row : rows) text += line(row);
  return text;
}

std::string Table::text(std::vector<std::vector<std::string>> cells) {
  rows = std::move(cells);
  return text();
}

}  // namespace tactus
