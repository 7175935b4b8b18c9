#include "isa/dpas/text_cursor.h"

#include <cctype>

#include "isa/support/text.h"

namespace tactus::dpas {
namespace {

constexpr unsigned deepest_nesting = 64;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$' || c == '@' ||
         c == '?' || c == '%';
}

int digit_value(char c) {
  if (is_digit(c)) return c - '0';
  const int lower = std::tolower(static_cast<unsigned char>(c));
  return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : 99;
}

}  // namespace

void TextCursor::skip_blanks() {
  while (at_ < line_.size() && is_blank(line_[at_])) ++at_;
}

bool TextCursor::at_end() {
  skip_blanks();
  return at_ == line_.size();
}

char TextCursor::peek() {
  skip_blanks();
  return peek_here();
}

bool TextCursor::accept(std::string_view text) {
  skip_blanks();
  return accept_here(text);
}

bool TextCursor::accept_here(std::string_view text) {
  if (line_.substr(at_, text.size()) != text) return false;
  at_ += text.size();
  return true;
}

void TextCursor::expect(std::string_view text) {
  if (!accept(text)) fail("{} expected, not {}", quote(text), found());
}

void TextCursor::expect_end() {
  if (!at_end()) fail("the end of the line expected, not {}", found());
}

std::string_view TextCursor::word() {
  skip_blanks();
  const std::size_t start = at_;
  while (at_ < line_.size() && is_word(line_[at_])) ++at_;
  return line_.substr(start, at_ - start);
}

std::string_view TextCursor::dotted_word() {
  skip_blanks();
  const std::size_t start = at_;
  while (at_ < line_.size() && (is_word(line_[at_]) || line_[at_] == '.')) ++at_;
  return line_.substr(start, at_ - start);
}

std::string_view TextCursor::expect_word(std::string_view what) {
  skip_blanks();
  const std::string_view result = word();
  if (result.empty()) fail("{} expected, not {}", what, found());
  return result;
}

std::string_view TextCursor::expect_name(std::string_view what) {
  constexpr std::size_t longest = 64;
  skip_blanks();
  const std::size_t start = column();
  const std::string_view name = expect_word(what);
  if (is_digit(name[0]) || name.find('%') != std::string_view::npos || name.size() > longest) {
    fail_at(start, "{} is no name; allowed up to {} letters, digits, _ $ @ ?, no digit first",
            quote(name), longest);
  }
  return name;
}

std::string TextCursor::string_or_word(std::string_view what) {
  if (!accept("\"")) return std::string(expect_word(what));
  const std::size_t end = line_.find('"', at_);
  if (end == std::string_view::npos) fail("the text has no closing quote");
  const std::string_view text = line_.substr(at_, end - at_);
  at_ = end + 1;
  return std::string(text);
}

std::string TextCursor::found() {
  if (at_end()) return "the end of the line";
  std::size_t end = at_;
  while (end < line_.size() && is_word(line_[end])) ++end;
  return quote(line_.substr(at_, end == at_ ? 1 : end - at_));
}

std::int64_t TextCursor::expression() {
  std::int64_t value = product();
  for (;;) {
    if (accept("+")) {
      if (__builtin_add_overflow(value, product(), &value)) overflow();
    } else if (accept("-")) {
      if (__builtin_sub_overflow(value, product(), &value)) overflow();
    } else {
      return value;
    }
  }
}

std::uint32_t TextCursor::expression(std::string_view what, std::int64_t min, std::int64_t max) {
  skip_blanks();
  const std::size_t start = column();
  const std::int64_t value = expression();
  if (value < min || value > max) {
    fail_at(start, "{} {} is out of range; allowed {}..{}", what, value, min, max);
  }
  return static_cast<std::uint32_t>(value);
}

std::int64_t TextCursor::product() {
  std::int64_t value = factor();
  for (;;) {
    if (accept("*")) {
      if (__builtin_mul_overflow(value, factor(), &value)) overflow();
    } else if (peek() == '/' && line_.substr(at_, 2) != "//") {
      expect("/");
      const std::int64_t divisor = factor();
      if (divisor == 0) fail("division by zero");
      if (value == INT64_MIN && divisor == -1) overflow();
      value /= divisor;
    } else {
      return value;
    }
  }
}

std::int64_t TextCursor::factor() {
  if (!accept("-")) return primary();
  if (++nesting_ > deepest_nesting) fail("the expression is nested too deeply");
  const std::int64_t value = factor();
  --nesting_;
  if (value == INT64_MIN) overflow();
  return -value;
}

std::int64_t TextCursor::primary() {
  if (accept("(")) {
    if (++nesting_ > deepest_nesting) fail("the expression is nested too deeply");
    const std::int64_t value = expression();
    --nesting_;
    expect(")");
    return value;
  }
  skip_blanks();
  if (!is_digit(peek_here())) fail("a number expected, not {}", found());
  const bool hexadecimal = accept_here("0x") || accept_here("0X");
  const int base = hexadecimal ? 16 : 10;
  if (digit_value(peek_here()) >= base) fail("a digit expected, not {}", found());
  std::int64_t value = 0;
  for (; digit_value(peek_here()) < base; ++at_) {
    if (__builtin_mul_overflow(value, std::int64_t{base}, &value) ||
        __builtin_add_overflow(value, std::int64_t{digit_value(peek_here())}, &value)) {
      overflow();
    }
  }
  return value;
}

}  // namespace tactus::dpas
