// Reading one line of vISA assembly, character by character: what a `.` or a number means depends
// on where it stands, so there are no tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace tactus::dpas {

/// Something wrong at a column (from 1, in bytes) of the line.
struct TextError {
  std::size_t column;
  std::string message;
};

class TextCursor {
 public:
  explicit TextCursor(std::string_view line) : line_(line) {}

  [[nodiscard]] std::size_t column() const { return at_ + 1; }
  void skip_blanks();
  [[nodiscard]] bool at_end();
  /// The character here, blanks skipped; NUL at the end.
  [[nodiscard]] char peek();
  /// The character here, whatever it is; NUL at the end.
  [[nodiscard]] char peek_here() const { return at_ < line_.size() ? line_[at_] : '\0'; }
  /// Consumes `text` if it comes next, blanks skipped.
  bool accept(std::string_view text);
  /// The same without blanks before it.
  bool accept_here(std::string_view text);
  /// Throws TextError `"text" expected`.
  void expect(std::string_view text);
  void expect_end();

  /// Letters, digits and _ $ @ ? %, blanks skipped; empty if there are none.
  [[nodiscard]] std::string_view word();
  /// The same, with `.` too.
  [[nodiscard]] std::string_view dotted_word();
  /// Throws TextError if there is none: "a name expected".
  [[nodiscard]] std::string_view expect_word(std::string_view what);
  /// A word that may name something: a letter or _ $ @ ? first, no %, 64 characters at most.
  [[nodiscard]] std::string_view expect_name(std::string_view what);
  /// "text" or a word.
  [[nodiscard]] std::string string_or_word(std::string_view what);

  /// + - * / unary - ( ) of 64-bit signed integers, decimal or 0x hexadecimal. Throws TextError for
  /// every overflow.
  [[nodiscard]] std::int64_t expression();
  /// The same, within a range.
  [[nodiscard]] std::uint32_t expression(std::string_view what, std::int64_t min, std::int64_t max);
  /// A number or an expression in parentheses.
  [[nodiscard]] std::int64_t primary();

  template <typename... Args>
  [[noreturn]] void fail(fmt::format_string<Args...> format, Args&&... args) const {
    throw TextError{column(), fmt::format(format, std::forward<Args>(args)...)};
  }
  template <typename... Args>
  [[noreturn]] static void fail_at(std::size_t column, fmt::format_string<Args...> format,
                                   Args&&... args) {
    throw TextError{column, fmt::format(format, std::forward<Args>(args)...)};
  }
  /// What comes next, for a message: `"foo"` or `the end of the line`.
  [[nodiscard]] std::string found();

 private:
  std::int64_t product();
  std::int64_t factor();
  [[noreturn]] void overflow() const { fail("the expression exceeds 64 bits"); }

  std::string_view line_;
  std::size_t at_ = 0;
  unsigned nesting_ = 0;
};

}  // namespace tactus::dpas
