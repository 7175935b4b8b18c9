// Programs from text of any form, and what a text is that holds no program.
#include <algorithm>
#include <cctype>
#include <string_view>
#include <utility>

#include "firmware/compiler/stripe/text.h"
#include "isa/support/error.h"

namespace tactus::stripe {
namespace {

/// The text without white space and C comments at its start.
std::string_view first_words(std::string_view text) {
  for (;;) {
    const std::size_t start = text.find_first_not_of(" \t\r\n");
    if (start == std::string_view::npos) return {};
    text.remove_prefix(start);
    const bool line = text.substr(0, 2) == "//", block = text.substr(0, 2) == "/*";
    if (!line && !block) return text;
    const std::size_t end = line ? text.find('\n') : text.find("*/");
    if (end == std::string_view::npos) return {};
    text.remove_prefix(end + (line ? 1 : 2));
  }
}

/// True if a statement such as "O[i: 10] = +(A[i]);" or "O = A + B;" begins here.
bool is_tile_statement(std::string_view text) {
  const auto in_name = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
  };
  const std::size_t name = std::find_if_not(text.begin(), text.end(), in_name) - text.begin();
  if (name == 0 || name == text.size()) return false;
  if (text[name] == '[') return true;
  const std::size_t next = text.find_first_not_of(" \t", name);
  return next != std::string_view::npos && text[next] == '=';
}

/// Name of the language of a text that is no Stripe program; empty: unknown.
std::string_view other_language(std::string_view text) {
  constexpr std::string_view tile = "a program in the Tile language, which is not read";
  constexpr std::pair<std::string_view, std::string_view> languages[] = {
      {"function", tile},
      {"func", "MLIR, which is not read"},
      {"module", "MLIR, which is not read"},
      {"#", "MLIR, which is not read"},
      {"{", "JSON, as passes and hardware models are"},
      {"[", "JSON, as passes are"}};
  const std::string_view start = first_words(text);
  for (const auto& [word, language] : languages) {
    if (start.substr(0, word.size()) != word) continue;
    const char next = start.size() > word.size() ? start[word.size()] : ' ';
    const bool longer = std::isalnum(static_cast<unsigned char>(next)) != 0 || next == '_';
    if (!longer || std::isalpha(static_cast<unsigned char>(word[0])) == 0) return language;
  }
  return is_tile_statement(start) ? tile : std::string_view();
}

}  // namespace

Program read_program(std::string_view text, const std::string& where) {
  const char* const allowed = "a Stripe program in printed or protobuf text";
  const std::size_t start = text.find_first_not_of(" \t\r\n\v\f");
  if (start == std::string_view::npos) {
    user_error("{}: the file is empty; {} was expected", where, allowed);
  }
  if (text[start] >= '0' && text[start] <= '9') return read_text_form(text, where);
  try {
    return read_protobuf_text(text, where);
  } catch (const UserError&) {
    const std::string_view language = other_language(text);
    if (language.empty()) throw;
    user_error("{}: is {}; allowed: {}", where, language, allowed);
  }
}

}  // namespace tactus::stripe
