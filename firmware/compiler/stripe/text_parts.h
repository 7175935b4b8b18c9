// The parts of printed text that stand in all statements: names, numbers, affines, tags, locations
// and indexes. text_reader.cpp puts programs together from them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

/// Reads a text from its start, part by part. Failing is a UserError "FILE:LINE: what".
class TextParts {
 protected:
  TextParts(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  // ---- characters ----

  /// UserError with the file and the line.
  [[noreturn]] void fail(const std::string& what);
  /// Fails: `what` was expected in place of the text that follows.
  [[noreturn]] void expected(std::string_view what);
  [[nodiscard]] char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  [[nodiscard]] bool ahead(std::string_view word) const {
    return text_.substr(at_, word.size()) == word;
  }

  void skip_space();
  /// Within the line.
  void skip_blanks() {
    while (peek() == ' ' || peek() == '\t' || peek() == '\r') ++at_;
  }
  /// Takes the token if it comes next, behind white space.
  bool take(std::string_view token);
  void need(std::string_view token) {
    if (!take(token)) expected("\"" + std::string(token) + "\"");
  }
  /// Entries with commas between them, up to `end`; each is read by `entry()`.
  template <typename Entry>
  void list(std::string_view end, Entry entry) {
    if (take(end)) return;
    do {
      entry();
    } while (take(","));
    need(end);
  }
  /// The rest of the line after "//" and one space.
  std::string comment();
  /// Everything up to white space or a character of punctuation; may be empty.
  std::string_view word();
  std::string name(std::string_view what);

  // ---- numbers ----

  std::uint64_t unsigned_number(std::string_view what);
  std::int64_t signed_number(std::string_view what);
  double real(std::string_view what);
  std::variant<std::int64_t, double> number(std::string_view what);

  // ---- parts ----

  /// `marked`: names may begin with "#".
  Affine affine(bool marked = false);
  Attribute attribute_value();
  std::string quoted();
  /// Tags, each with a value if `values`.
  void tags(Tagged& tagged, bool values);
  /// After "<", up to ">".
  Location location();
  Index index();
  /// Fails if the affine uses an index that the block has not.
  void check_names(const Block& block, const Affine& affine);

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;  ///< the next character
  std::uint32_t line_ = 1;
  bool placed_ = false;  ///< the error that is thrown has its line already

 private:
  template <typename Whole>
  Whole whole(std::string_view what);
  /// Text of a number: digits, sign, point, exponent, inf, nan.
  std::string_view number_text();
  bool take_star();
  std::string term(bool marked);
};

}  // namespace tactus::stripe
