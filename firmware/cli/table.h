// Text tables: columns as wide as their widest cell, two blanks between.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace tactus {

class Table {
 public:
  enum class Align { left, right };
  struct Column {
    std::string title;
    Align align = Align::right;
  };

  explicit Table(std::vector<Column> columns);

  /// Widens the columns for these cells. For rows that are printed one by one, call it first with
  /// the widest cells that are expected.
  void fit(const std::vector<std::string>& cells);
  /// One line with its line end, without trailing blanks.
  [[nodiscard]] std::string header() const;
  [[nodiscard]] std::string line(const std::vector<std::string>& cells) const;
  /// The header and all rows, fitted.
  [[nodiscard]] std::string text(const std::vector<std::vector<std::string>>& rows);

 private:
  std::vector<Column> columns_;
  std::vector<std::size_t> widths_;
};

}  // namespace tactus
