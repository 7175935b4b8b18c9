// Frame of self-contained HTML pages: one file that loads nothing and is complete without scripts.
//
// Pages follow the reader's light or dark setting and fit a phone, where rows of tables become
// blocks. Only long lists scroll in boxes of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace tactus::html {

/// Escapes text for element content and attribute values. Bytes that are not UTF-8 become \xNN.
[[nodiscard]] std::string escape(std::string_view text);

/// 1234567 as "1 234 567" (with narrow spaces).
[[nodiscard]] std::string grouped(std::uint64_t value);
/// 0.1234 as "12.3 %".
[[nodiscard]] std::string percent(double share);

/// Escapes a name for element content and allows line breaks after + _ / and the dot.
[[nodiscard]] std::string breakable(std::string_view name);
/// Number of characters of a UTF-8 text.
[[nodiscard]] std::size_t length(std::string_view text);

/// A table whose first column is text and whose other columns are numbers unless declared
/// otherwise.
class Table {
 public:
  struct Column {
    std::string title;
    bool text = false;
    bool says_title = false;  ///< on narrow screens the column's title is shown with its text
  };
  enum class Kind {
    plain,
    list,  ///< many short rows: scrolls in a box; clicking a column's title sorts it
  };
  explicit Table(std::vector<Column> columns, Kind kind = Kind::plain)
      : columns_(std::move(columns)), kind_(kind) {}
  /// Adds a row of HTML cells, one per column.
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
  /// Adds HTML below the title.
  void lead(const std::string& html) { lead_ += html; }
  void section(const std::string& title, const std::string& html);
  /// Makes lists sortable. A page without this call has no scripts.
  void sortable() { sortable_ = true; }
  [[nodiscard]] std::string html() const;

 private:
  std::string title_, lead_, body_;
  bool sortable_ = false;
};

/// A box with a large figure and a line below it, both plain text.
[[nodiscard]] std::string tile(std::string_view label, std::string_view value,
                               std::string_view note);
[[nodiscard]] std::string tiles(const std::vector<std::string>& tiles);

}  // namespace tactus::html
