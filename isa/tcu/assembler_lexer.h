// Splits a line of assembler text into tokens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tactus::tcu {

/// An error at a column (1-based, in bytes) of the line being assembled.
struct SyntaxError {
  std::size_t column;
  std::string message;
};

template <typename... Args>
[[noreturn]] void syntax_error(std::size_t column, fmt::format_string<Args...> format,
                               Args&&... args) {
  throw SyntaxError{column, fmt::format(format, std::forward<Args>(args)...)};
}

struct Token {
  enum class Kind { name, number, punctuation, end_of_line };
  Kind kind;
  std::string_view text;  ///< view into the line
  std::size_t column;
};

/// Splits a line without its comment; the last token is end_of_line. Throws SyntaxError.
void tokenize(std::string_view line, std::vector<Token>& tokens);

/// The value of a number token, 0..2^63-1. Throws SyntaxError.
[[nodiscard]] std::int64_t number_value(const Token& token);

/// Compares names without regard to the case of ASCII letters.
[[nodiscard]] bool same_name(std::string_view a, std::string_view b);
[[nodiscard]] std::string lower_name(std::string_view name);

/// Reads tokens in order and never moves past end_of_line.
class TokenCursor {
 public:
  explicit TokenCursor(const std::vector<Token>& tokens) : tokens_(&tokens) {}

  [[nodiscard]] const Token& peek() const { return (*tokens_)[position_]; }
  Token next();
  /// Consumes the punctuation or name `text` if it comes next.
  bool accept(std::string_view text);
  /// Throws SyntaxError if `text` does not come next.
  void expect(std::string_view text);
  /// Throws SyntaxError "expected `what`, found ..." if no name comes next.
  Token expect_name(std::string_view what);
  void expect_end_of_line();

 private:
  const std::vector<Token>* tokens_;
  std::size_t position_ = 0;
};

/// "end of line" or the token in quotes, for "found ..." in messages.
[[nodiscard]] std::string describe(const Token& token);

}  // namespace tactus::tcu
