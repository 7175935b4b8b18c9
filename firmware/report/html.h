// The frame of self-contained HTML pages: one file, nothing loaded from anywhere, complete without
// scripts.
//
// Pages follow the reader's light or dark setting and fit a phone: the rows of a table become
// blocks there. Only long lists scroll in a box of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::html {

/// Text made fit for element content and attribute values. Bytes that are no UTF-8 become \xNN.
[[nodiscard]] std::string escape(std::string_view text);

/// 1234567 as "1 234 567" (with narrow spaces).
[[nodiscard]] std::string grouped(std::uint64_t value);
/// 0.1234 as "12.3 %".
[[nodiscard]] std::string percent(double share);

/// A name made fit for element content, whose line may break after + _ / and the dot.
[[nodiscard]] std::string breakable(std::string_view name);
/// Characters of a UTF-8 text.
[[nodiscard]] std::size_t length(std::string_view text);

/// A table whose first column is text and whose others are numbers, unless they say otherwise.
class Table {
 public:
  struct Column {
    std::string title;
    bool text = false;
    bool says_title = false;  ///< text that is unclear without its title, on narrow screens
  };
  enum class Kind {
    plain,
    list,  ///< many short rows: in a box that scrolls, sorted by a click on a column's title
  };
  explicit Table(std::vector<Column> columns, Kind kind = Kind::plain)
      : columns_(std::move(columns)), kind_(kind) {}
  /// Cells are HTML; as many as there are columns.
  void row(std::vector<std::string> cells) { rows_.push_back(std::move(cells)); }
  [[nodiscard]] std::string html() const;

 private:
  std::vector<Column> columns_;
  Kind kind_;
  std::vector<std::vector<std::string>> rows_;
};

class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}
  /// HTML below the title.
  void lead(const std::string& html) { lead_ += html; }
  void section(const std::string& title, const std::string& html);
  /// Lists become sortable; a page without them has no scripts.
  void sortable() { sortable_ = true; }
  [[nodiscard]] std::string html() const;

 private:
  std::string title_, lead_, body_;
  bool sortable_ = false;
};

/// A box with a large figure and a line about it. Both are plain text.
[[nodiscard]] std::string tile(std::string_view label, std::string_view value,
                               std::string_view note);
[[nodiscard]] std::string tiles(const std::vector<std::string>& tiles);

}  // namespace tactus::html
