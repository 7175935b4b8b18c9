// Reads one line of vISA assembly character by character. There are no tokens, because the meaning
// of a `.` or a number depends on its position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <fmt/format.h>

namespace tactus::dpas {

/// An error at a column (from 1, in bytes) of the line.
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
  /// Skips blanks and returns the next character; NUL at the end.
  [[nodiscard]] char peek();
  /// Returns the next character without skipping blanks; NUL at the end.
  [[nodiscard]] char peek_here() const { return at_ < line_.size() ? line_[at_] : '\0'; }
  /// Skips blanks and consumes `text` if it comes next.
  bool accept(std::string_view text);
  /// Consumes `text` if it comes next, without skipping blanks.
  bool accept_here(std::string_view text);
  /// Throws TextError `"text" expected`.
  void expect(std::string_view text);
  void expect_end();

  /// Reads letters, digits and _ $ @ ? % after blanks; empty if there are none.
  [[nodiscard]] std::string_view word();
  /// Like word(), but reads `.` too.
  [[nodiscard]] std::string_view dotted_word();
  /// Reads a word; throws TextError "a name expected" and the like if there is none.
  [[nodiscard]] std::string_view expect_word(std::string_view what);
  /// Reads a name: first a letter or _ $ @ ?, no %, at most 64 characters.
  [[nodiscard]] std::string_view expect_name(std::string_view what);
  /// Reads "text" or a word.
  [[nodiscard]] std::string string_or_word(std::string_view what);

  /// Reads an expression of 64-bit signed integers, decimal or 0x hexadecimal, with + - * / unary -
  /// ( ). Throws TextError for every overflow.
  [[nodiscard]] std::int64_t expression();
  /// Reads an expression whose value must be in the range.
  [[nodiscard]] std::uint32_t expression(std::string_view what, std::int64_t min, std::int64_t max);
  /// Reads a number or an expression in parentheses.
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
  /// Describes the next input for a message: `"foo"` or `the end of the line`.
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
