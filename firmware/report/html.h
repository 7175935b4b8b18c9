// Self-contained HTML pages: a page is one file that loads nothing and shows everything without
// scripts.
//
// Pages follow the reader's light or dark setting. They fit a phone, where each row of a table
// becomes a block. Long lists scroll in a box of their own.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/report/text_table.h"

namespace tactus::html {

/// Escapes text for element content and attribute values. Bytes that are not UTF-8 become \xNN.
[[nodiscard]] std::string escape(std::string_view text);

/// Groups digits by three: 1234567 becomes "1 234 567" (with narrow spaces).
[[nodiscard]] std::string grouped(std::uint64_t value);
/// A share in percent: 0.1234 becomes "12.3 %".
[[nodiscard]] std::string percent(double share);

/// Escapes a name for element content and allows line breaks behind the characters + _ / and dot.
[[nodiscard]] std::string breakable(std::string_view name);
/// Number of characters of a UTF-8 text.
[[nodiscard]] std::size_t length(std::string_view text);

/// A table whose cells are HTML.
class Table : public TextTable {
 public:
  enum class Kind {
    plain,
    list,  ///< many short rows: scrolls in a box; a click on a title sorts it
  };
  explicit Table(std::vector<Column> titles, Kind kind = Kind::plain)
      : TextTable{std::move(titles), {}}, kind_(kind) {}
  explicit Table(Kind kind = Kind::plain) : kind_(kind) {}
  [[nodiscard]] std::string html() const;

 private:
  Kind kind_;
};
/// A table of plain text as a list.
[[nodiscard]] std::string list(const TextTable& table);

/// A paragraph of plain text.
[[nodiscard]] std::string paragraph(std::string_view text);
/// HTML that a click on the summary, which is HTML, shows.
[[nodiscard]] std::string details(const std::string& summary, const std::string& html);

class Page {
 public:
  explicit Page(std::string title) : title_(std::move(title)) {}
  /// Adds HTML below the title, behind what is there already.
  void lead(const std::string& html);
  /// Adds a tile there, beside the tile before it: a box with a large figure, its label,
  /// and a note below it. All three are plain text.
  void tile(std::string_view label, std::string_view value, std::string_view note);
  /// Adds a section with this title and HTML content.
  void section(const std::string& title, const std::string& html);
  /// Makes tables of Kind::list sortable, by a script. A page without this call has no scripts.
  void sortable() { sortable_ = true; }
  [[nodiscard]] std::string html() const;

 private:
  std::string title_, lead_, body_;
  bool in_tiles_ = false;  ///< the lead ends with a tile
  bool sortable_ = false;
};

}  // namespace tactus::html
