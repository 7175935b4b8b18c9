// Text tables: columns as wide as their widest cell, two blanks between.
#pragma once

#include <cstddef>
#include <string>
#include <utility>
#include <vector>

#include "firmware/report/text_table.h"

namespace tactus {

class Table : public TextTable {
 public:
  explicit Table(std::vector<Column> titles) : TextTable{std::move(titles), {}} {}
  explicit Table(TextTable table = {}) : TextTable(std::move(table)) {}

  /// Widens the columns for these cells. For rows that are printed one by one, call it first with
  /// the widest cells that are expected.
  void fit(const std::vector<std::string>& cells);
  /// One line with its line end, without trailing blanks.
  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::string line(const std::vector<std::string>& cells) const;
  /// The header and all rows, fitted.
  [[nodiscard]] std::string text();
  [[nodiscard]] std::string text(std::vector<std::vector<std::string>> cells);

 private:
  std::vector<std::size_t> widths_;
};

}  // namespace tactus
