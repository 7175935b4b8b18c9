#include "isa/tcu/assembler_lexer.h"

#include <algorithm>
#include <limits>

#include "isa/support/text.h"

namespace tactus::tcu {
namespace {

// The C library's classification depends on the locale, which must not affect program text.
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r'; }
char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

std::size_t word_length(std::string_view text) {
  std::size_t length = 0;
  while (length < text.size() && (is_letter(text[length]) || is_digit(text[length]))) ++length;
  return length;
}

std::size_t punctuation_length(std::string_view text) {
  const std::string_view two = text.substr(0, 2);
  if (two == "->" || two == "<<" || two == ">>") return 2;
  return std::string_view("().,=@+-*/%").find(text[0]) != std::string_view::npos ? 1 : 0;
}

bool starts_comment(std::string_view text) {
  return text[0] == '#' || text[0] == ';' || text.substr(0, 2) == "//";
}

}  // namespace

void tokenize(std::string_view line, std::vector<Token>& tokens) {
  tokens.clear();
  std::size_t at = 0;
  while (at < line.size()) {
    const std::string_view rest = line.substr(at);
    if (is_space(rest[0])) {
      ++at;
      continue;
    }
    if (starts_comment(rest)) break;
    Token::Kind kind = Token::Kind::punctuation;
    std::size_t length = 0;
    if (is_letter(rest[0]) || is_digit(rest[0])) {
      kind = is_digit(rest[0]) ? Token::Kind::number : Token::Kind::name;
      length = word_length(rest);
    } else {
      length = punctuation_length(rest);
    }
    if (length == 0) {
      const bool visible = rest[0] > ' ' && rest[0] <= '~';
      syntax_error(at + 1,
                   "unexpected character {}; allowed names, numbers and ( ) . , = @ -> + - * / % "
                   "<< >>",
                   visible ? quote(rest.substr(0, 1))
                           : fmt::format("{:#04x}", static_cast<unsigned char>(rest[0])));
    }
    tokens.push_back({kind, rest.substr(0, length), at + 1});
    at += length;
  }
  tokens.push_back({Token::Kind::end_of_line, {}, std::min(at, line.size()) + 1});
}

std::int64_t number_value(const Token& token) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::string_view digits = token.text;
  int base = 10;
  if (digits.size() > 1 && digits[0] == '0' &&
      (lower(digits[1]) == 'x' || lower(digits[1]) == 'b')) {
    base = lower(digits[1]) == 'x' ? 16 : 2;
    digits.remove_prefix(2);
  }
  std::int64_t value = 0;
  bool any = false;
  for (const char c : digits) {
    if (c == '_') continue;
    const int digit = is_digit(c) ? c - '0' : lower(c) - 'a' + 10;
    if (digit >= base) {
      syntax_error(token.column,
                   "{} is not a number; allowed decimal, 0x hexadecimal or 0b "
                   "binary digits, with _ between them",
                   quote(token.text));
    }
    if (value > (most - digit) / base) {
      syntax_error(token.column, "the number {} is too large; allowed 0..{}", printable(token.text),
                   most);
    }
    value = value * base + digit;
    any = true;
  }
  if (!any) syntax_error(token.column, "{} has no digits", quote(token.text));
  return value;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

Token TokenCursor::next() {
  const Token token = peek();
  if (token.kind != Token::Kind::end_of_line) ++position_;
  return token;
}

bool TokenCursor::accept(std::string_view text) {
  const Token& token = peek();
  if (token.kind == Token::Kind::number || token.kind == Token::Kind::end_of_line) return false;
  if (!same_name(token.text, text)) return false;
  ++position_;
  return true;
}

void TokenCursor::expect(std::string_view text) {
  if (!accept(text))
    syntax_error(peek().column, "expected {}, found {}", quote(text), describe(peek()));
}

Token TokenCursor::expect_name(std::string_view what) {
  if (peek().kind != Token::Kind::name) {
    syntax_error(peek().column, "expected {}, found {}", what, describe(peek()));
  }
  return next();
}

void TokenCursor::expect_end_of_line() {
  if (peek().kind != Token::Kind::end_of_line) {
    syntax_error(peek().column, "expected the end of the line, found {}", describe(peek()));
  }
}

std::string lower_name(std::string_view name) {
  std::string result(name);
  std::transform(result.begin(), result.end(), result.begin(), lower);
  return result;
}

std::string describe(const Token& token) {
  return token.kind == Token::Kind::end_of_line ? "the end of the line" : quote(token.text);
}

}  // namespace tactus::tcu
