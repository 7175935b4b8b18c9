#include "firmware/compiler/stripe/text_parts.h"

#include <charconv>
#include <cstdlib>

#include "isa/support/error.h"
#include "isa/support/read_number.h"
#include "isa/support/text.h"

namespace tactus::stripe {

// ---- characters ----

void TextParts::fail(const std::string& what) {
  placed_ = true;
  user_error("{}:{}: {}", where_, line_, what);
}

void TextParts::expected(std::string_view what) {
  std::size_t end = at_;
  while (end < text_.size() && text_[end] != '\n' && end - at_ < 40) ++end;
  if (at_ == text_.size()) fail(fmt::format("expected {}, the text ends", what));
  if (end == at_) fail(fmt::format("expected {}, the line ends", what));
  fail(fmt::format("expected {}, not {}", what, quote(text_.substr(at_, end - at_))));
}

void TextParts::skip_space() {
  while (at_ < text_.size()) {
    const char c = text_[at_];
    if (c == '\n') ++line_;
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n') break;
    ++at_;
  }
}

bool TextParts::take(std::string_view token) {
  const std::size_t at = at_;
  const std::uint32_t line = line_;
  skip_space();
  if (ahead(token)) {
    at_ += token.size();
    return true;
  }
  // Errors are reported where something was, not where the next line begins.
  at_ = at;
  line_ = line;
  return false;
}

std::string TextParts::comment() {
  at_ += 2;
  if (peek() == ' ') ++at_;
  std::size_t end = text_.find('\n', at_);
  if (end == std::string_view::npos) end = text_.size();
  std::string_view line = text_.substr(at_, end - at_);
  at_ = end;
  if (!line.empty() && line.back() == '\r') line.remove_suffix(1);
  return std::string(line);
}

std::string_view TextParts::word() {
  skip_space();
  const std::size_t begin = at_;
  while (at_ < text_.size() && static_cast<unsigned char>(text_[at_]) > 0x20 &&
         std::string_view("[]{}()<>,;:=*+-/\"#").find(text_[at_]) == std::string_view::npos) {
    ++at_;
  }
  return text_.substr(begin, at_ - begin);
}

std::string TextParts::name(std::string_view what) {
  skip_space();
  const std::size_t begin = at_;
  const std::string_view found = word();
  if (!is_name(found)) {
    at_ = begin;
    expected(what);
  }
  return std::string(found);
}

// ---- numbers ----

template <typename Whole>
Whole TextParts::whole(std::string_view what) {
  skip_space();
  Whole value = 0;
  const auto [end, error] = std::from_chars(text_.data() + at_, text_.data() + text_.size(), value);
  if (error == std::errc::result_out_of_range) {
    fail(fmt::format("{} does not fit 64 bits", what));
  }
  if (error != std::errc()) expected(what);
  at_ = static_cast<std::size_t>(end - text_.data());
  return value;
}

std::uint64_t TextParts::unsigned_number(std::string_view what) {
  return whole<std::uint64_t>(what);
}

std::int64_t TextParts::signed_number(std::string_view what) { return whole<std::int64_t>(what); }

std::string_view TextParts::number_text() {
  skip_space();
  const std::size_t begin = at_;
  const auto in = [this](std::string_view set) {
    return at_ < text_.size() && set.find(text_[at_]) != std::string_view::npos;
  };
  while (in("0123456789.+-eEinfa")) ++at_;
  return text_.substr(begin, at_ - begin);
}

double TextParts::real(std::string_view what) {
  const std::size_t begin = (skip_space(), at_);
  const std::string digits(number_text());
  char* end = nullptr;
  const double value = std::strtod(digits.c_str(), &end);
  if (digits.empty() || *end != '\0') {
    at_ = begin;
    expected(what);
  }
  return value;
}

std::variant<std::int64_t, double> TextParts::number(std::string_view what) {
  const std::size_t begin = (skip_space(), at_);
  const std::string_view digits = number_text();
  const bool is_real = digits.find_first_of(".eEinfa") != std::string_view::npos;
  at_ = begin;
  if (is_real) return real(what);
  return signed_number(what);
}

// ---- parts ----

Affine TextParts::affine(bool marked) {
  Affine sum;
  std::int64_t sign = take("-") ? -1 : 1;
  while (true) {
    skip_space();
    if (peek() >= '0' && peek() <= '9') {
      // Digits and sign together, because the smallest number has no positive counterpart.
      const std::size_t begin = at_;
      while (peek() >= '0' && peek() <= '9') ++at_;
      const std::string digits =
          (sign < 0 ? "-" : "") + std::string(text_.substr(begin, at_ - begin));
      const auto value = read_number<std::int64_t>(digits);
      if (!value) fail(digits + " does not fit 64 bits");
      skip_blanks();
      sum += take_star() ? Affine(term(marked), *value) : Affine(*value);
    } else {
      sum += Affine(term(marked), sign);
    }
    skip_blanks();
    if (take("+")) {
      sign = 1;
    } else if (take("-")) {
      sign = -1;
    } else {
      return sum;
    }
  }
}

bool TextParts::take_star() {
  if (peek() != '*') return false;
  ++at_;
  return true;
}

std::string TextParts::term(bool marked) {
  skip_space();
  const bool mark = marked && take("#");
  return (mark ? "#" : "") + name("an index or a number");
}

Attribute TextParts::attribute_value() {
  if (peek() == '"') return quoted();
  if (ahead("true")) return at_ += 4, true;
  if (ahead("false")) return at_ += 5, false;
  if (ahead("any(")) {
    at_ += 4;
    AnyValue any;
    any.type_url = quoted();
    need(",");
    skip_space();
    any.bytes = quoted();
    need(")");
    return any;
  }
  const auto value = number("the value of the attribute");
  if (const auto* integer = std::get_if<std::int64_t>(&value)) return *integer;
  return std::get<double>(value);
}

std::string TextParts::quoted() {
  if (peek() != '"') expected("a text in quotes");
  ++at_;
  std::string out;
  while (peek() != '"') {
    if (at_ == text_.size() || peek() == '\n') fail("a text in quotes does not end in its line");
    if (peek() != '\\') {
      out += text_[at_++];
      continue;
    }
    ++at_;
    if (peek() == 'x') {
      unsigned code = 0;
      const char* begin = text_.data() + at_ + 1;
      if (at_ + 3 > text_.size() || std::from_chars(begin, begin + 2, code, 16).ptr != begin + 2) {
        fail("expected two hexadecimal digits after \\x");
      }
      out += static_cast<char>(code);
      at_ += 3;
    } else if (peek() == '"' || peek() == '\\') {
      out += text_[at_++];
    } else {
      fail("a backslash in quotes must be followed by \\, \" or x");
    }
  }
  ++at_;
  return out;
}

void TextParts::tags(Tagged& tagged, bool values) {
  while (take("#")) {
    const std::string tag = name("the name of a tag");
    Attribute value;
    if (values && peek() == '=') {
      ++at_;
      value = attribute_value();
    }
    if (!tagged.attributes.emplace(tag, std::move(value)).second) {
      fail("tag #" + tag + " is given twice");
    }
  }
}

Location TextParts::location() {
  Location result;
  while (true) {
    Device device;
    skip_space();
    // The empty location of the slides is "[0]".
    const bool unnamed = peek() == '[' && result.devices.empty();
    if (!unnamed) device.name = name("the name of a device");
    if (take("[")) {
      do {
        device.units.push_back(affine(true));
      } while (take(","));
      need("]");
    }
    if (unnamed) {
      if (device.units.size() != 1 || !device.units[0].is_zero()) {
        fail("a location without a name must be [0]");
      }
      need(">");
      return {};
    }
    result.devices.push_back(std::move(device));
    if (take(">")) return result;
    if (!take("/")) expected("\"/\" or \">\"");
  }
}

Index TextParts::index() {
  Index idx;
  const bool tagged = take("(");
  if (tagged) tags(idx, false);
  idx.name = name("the name of an index");
  idx.line = line_;
  if (take(":")) {
    idx.range = unsigned_number("the range of index " + quote(idx.name));
  } else if (take("=")) {
    idx.affine = affine();
  } else {
    expected("\":\" or \"=\" after the index");
  }
  if (tagged) need(")");
  return idx;
}

void TextParts::check_names(const Block& block, const Affine& affine) {
  for (const Affine::Term& term : affine.terms()) {
    if (block.index(term.first) == nullptr) {
      fail(fmt::format("{} is no index of this block", quote(term.first)));
    }
  }
}

}  // namespace tactus::stripe
