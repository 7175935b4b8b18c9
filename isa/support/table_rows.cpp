#include "isa/support/table_rows.h"

#include <algorithm>
#include <charconv>

#include "isa/support/byte_order_mark.h"

namespace tactus {
namespace {

std::vector<std::string_view> cells_of(std::string_view line) {
  std::vector<std::string_view> cells = split(line, ',');
  for (std::string_view& cell : cells) cell = trimmed(cell, " \t\r\"");
  if (cells.size() > 1 && cells.back().empty()) cells.pop_back();
  return cells;
}

bool is_number(std::string_view cell) {
  double value = 0;
  const char* const end = cell.data() + cell.size();
  return !cell.empty() && std::from_chars(cell.data(), end, value).ptr == end;
}

}  // namespace

std::string_view trimmed(std::string_view cell, std::string_view blanks) {
  const std::size_t first = cell.find_first_not_of(blanks);
  if (first == std::string_view::npos) return {};
  return cell.substr(first, cell.find_last_not_of(blanks) - first + 1);
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    const std::size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return parts;
    text.remove_prefix(end + 1);
  }
}

CsvTable read_table(std::string_view text) {
  text = without_byte_order_mark(text);
  CsvTable table;
  bool first = true;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    TableRow row{number, cells_of(line.substr(0, line.find('#')))};
    const auto empty = [](std::string_view cell) { return cell.empty(); };
    if (std::all_of(row.cells.begin(), row.cells.end(), empty)) continue;
    const bool header = first && row.cells.size() > 1 &&
                        std::none_of(row.cells.begin(), row.cells.end(), is_number);
    first = false;
    if (header) {
      table.header = std::move(row.cells);
    } else {
      table.rows.push_back(std::move(row));
    }
  }
  return table;
}

}  // namespace tactus
