#include "firmware/compiler/stripe/template.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <functional>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::stripe {
namespace {

constexpr std::size_t longest_output = std::size_t{64} << 20;
// Limit of all rounds of all loops, also of loops that print nothing.
constexpr double most_rounds = 1e6;
// Limit of the characters that are read, again for every round of a loop.
constexpr std::size_t most_characters = std::size_t{256} << 20;
constexpr std::size_t deepest = 50;

bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

/// Evaluates an expression between two places of the text.
class Expression {
 public:
  /// `place` returns the expression's place in the template, for errors.
  Expression(std::string_view text, const TemplateValues& values,
             const std::function<std::string()>& place)
      : text_(text), values_(values), place_(place) {}

  double run() {
    const double value = disjunction(0);
    skip();
    if (at_ != text_.size()) fail("expected an operator");
    return value;
  }

 private:
  [[noreturn]] void fail(const std::string& what) const {
    user_error("{}: {} in {}", place_(), what, quote(text_));
  }
  void skip() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t' || text_[at_] == '\n'))
      ++at_;
  }
  bool take(std::string_view token) {
    skip();
    if (text_.substr(at_, token.size()) != token) return false;
    // Words end where letters do.
    const std::size_t end = at_ + token.size();
    if (is_letter(token.back()) && end < text_.size() &&
        (is_letter(text_[end]) || is_digit(text_[end]))) {
      return false;
    }
    at_ = end;
    return true;
  }

  double disjunction(std::size_t depth) {
    if (depth > deepest) fail("parentheses are nested too deep");
    double value = conjunction(depth);
    while (take("or")) {
      const double right = conjunction(depth);
      value = value != 0 || right != 0 ? 1 : 0;
    }
    return value;
  }
  double conjunction(std::size_t depth) {
    double value = negation(depth);
    while (take("and")) {
      const double right = negation(depth);
      value = value != 0 && right != 0 ? 1 : 0;
    }
    return value;
  }
  double negation(std::size_t depth) {
    if (depth > deepest) fail("nested too deep");
    if (take("not")) return negation(depth + 1) == 0 ? 1 : 0;
    return comparison(depth);
  }
  double comparison(std::size_t depth) {
    const double left = sum(depth);
    if (take("==")) return left == sum(depth) ? 1 : 0;
    if (take("!=")) return left != sum(depth) ? 1 : 0;
    if (take("<=")) return left <= sum(depth) ? 1 : 0;
    if (take(">=")) return left >= sum(depth) ? 1 : 0;
    if (take("<")) return left < sum(depth) ? 1 : 0;
    if (take(">")) return left > sum(depth) ? 1 : 0;
    return left;
  }
  double sum(std::size_t depth) {
    double value = product(depth);
    while (true) {
      if (take("+")) {
        value += product(depth);
      } else if (take("-")) {
        value -= product(depth);
      } else {
        return value;
      }
    }
  }
  double product(std::size_t depth) {
    double value = factor(depth);
    while (true) {
      if (take("//")) {
        value = std::floor(value / divisor(depth));
      } else if (take("/")) {
        value /= divisor(depth);
      } else if (take("*")) {
        value *= factor(depth);
      } else if (take("%")) {
        const double right = divisor(depth);
        value -= std::floor(value / right) * right;
      } else {
        return value;
      }
    }
  }
  double divisor(std::size_t depth) {
    const double value = factor(depth);
    if (value == 0) fail("division by zero");
    return value;
  }
  double factor(std::size_t depth) {
    if (depth > deepest) fail("nested too deep");
    if (take("-")) return -factor(depth + 1);
    if (take("(")) {
      const double value = disjunction(depth + 1);
      if (!take(")")) fail("expected \")\"");
      return value;
    }
    skip();
    const std::size_t begin = at_;
    if (at_ < text_.size() && is_digit(text_[at_])) {
      while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.')) ++at_;
      return std::strtod(std::string(text_.substr(begin, at_ - begin)).c_str(), nullptr);
    }
    while (at_ < text_.size() &&
           (is_letter(text_[at_]) || is_digit(text_[at_]) || text_[at_] == '.'))
      ++at_;
    const std::string name(text_.substr(begin, at_ - begin));
    if (name.empty()) fail("expected a value");
    if (name == "true" || name == "True") return 1;
    if (name == "false" || name == "False") return 0;
    const auto it = values_.find(name);
    if (it == values_.end()) {
      std::vector<std::string_view> known;
      for (const auto& [n, v] : values_) known.push_back(n);
      fail(fmt::format("{} has no value{}", quote(name), suggestion(name, known)));
    }
    return it->second;
  }

  std::string_view text_;
  const TemplateValues& values_;
  const std::function<std::string()>& place_;
  std::size_t at_ = 0;
};

class Renderer {
 public:
  Renderer(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  std::string run(TemplateValues values) {
    std::size_t at = 0;
    const std::string ended = block(at, values, true, 0);
    if (!ended.empty()) fail(at, "{% " + ended + " %} without a beginning");
    return std::move(out_);
  }

 private:
  [[nodiscard]] std::string place(std::size_t at) const {
    std::size_t line = 1;
    for (std::size_t i = 0; i < at && i < text_.size(); ++i) line += text_[i] == '\n' ? 1 : 0;
    return fmt::format("{}:{}", where_, line);
  }
  [[noreturn]] void fail(std::size_t at, const std::string& what) const {
    user_error("{}: {}", place(at), what);
  }

  void put(std::string_view text) {
    if (out_.size() + text.size() > longest_output) fail(0, "the output is longer than 64 MiB");
    out_ += text;
  }

  /// Counts characters that are read at `at`.
  void count(std::size_t at, std::size_t characters) {
    characters_ += characters;
    if (characters_ > most_characters) {
      fail(at, fmt::format("the loops read more than {} MiB of template", most_characters >> 20));
    }
  }

  /// Value of an expression at `at`.
  [[nodiscard]] double value(std::string_view expression, const TemplateValues& values,
                             std::size_t at) const {
    return Expression(expression, values, [&] { return place(at); }).run();
  }

  /// Text up to the end of a tag.
  std::string_view inside(std::size_t& at, std::string_view end) {
    const std::size_t found = text_.find(end, at + 2);
    if (found == std::string_view::npos) fail(at, fmt::format("expected \"{}\"", end));
    std::string_view content = text_.substr(at + 2, found - at - 2);
    count(at, content.size());
    at = found + 2;
    while (!content.empty() &&
           std::string_view(" \t\n-").find(content.front()) != std::string_view::npos) {
      content.remove_prefix(1);
    }
    while (!content.empty() &&
           std::string_view(" \t\n").find(content.back()) != std::string_view::npos) {
      content.remove_suffix(1);
    }
    return content;
  }

  /// Renders up to the end of the block; returns the word that ended it. Empty: the text's end.
  std::string block(std::size_t& at, TemplateValues& values, bool active, std::size_t depth) {
    if (depth > deepest) fail(at, "blocks are nested too deep");
    while (at < text_.size()) {
      const std::string_view ahead = text_.substr(at, 2);
      if (ahead == "##") {
        while (at < text_.size() && text_[at] != '\n') ++at;
      } else if (ahead == "{#") {
        (void)inside(at, "#}");
      } else if (ahead == "{{") {
        const std::size_t begin = at;
        const std::string_view expression = inside(at, "}}");
        if (active) put(number(value(expression, values, begin)));
      } else if (ahead == "{%") {
        std::string ended = tag(at, values, active, depth);
        if (!ended.empty()) return ended;
      } else {
        if (active) put(text_.substr(at, 1));
        count(at++, 1);
      }
    }
    return {};
  }

  std::string tag(std::size_t& at, TemplateValues& values, bool active, std::size_t depth) {
    const std::size_t begin = at;
    const std::string_view content = inside(at, "%}");
    const std::size_t space = content.find_first_of(" \t(");
    std::string word(content.substr(0, space));
    const std::string_view rest =
        space == std::string_view::npos ? std::string_view() : content.substr(space);
    if (word == "endfor" || word == "endif" || word == "else") return word;
    if (word == "if") {
      const bool yes = active && value(rest, values, begin) != 0;
      std::string ended = block(at, values, yes, depth + 1);
      if (ended == "else") ended = block(at, values, active && !yes, depth + 1);
      if (ended != "endif") fail(begin, "{% if %} without {% endif %}");
    } else if (word == "for") {
      loop(at, begin, rest, values, active, depth);
    } else {
      fail(begin, fmt::format("{} is not in the subset; there are for, if, else, endfor, endif",
                              quote(word)));
    }
    return {};
  }

  void loop(std::size_t& at, std::size_t begin, std::string_view rest, TemplateValues& values,
            bool active, std::size_t depth) {
    const std::size_t in = rest.find(" in ");
    const std::size_t open = rest.find("range(");
    if (in == std::string_view::npos || open == std::string_view::npos || rest.back() != ')') {
      fail(begin, "expected {% for NAME in range(EXPR) %}");
    }
    std::string name(rest.substr(0, in));
    while (!name.empty() && name.front() == ' ') name.erase(0, 1);
    const std::string_view limit = rest.substr(open + 6, rest.size() - open - 7);
    const double rounds = active ? std::floor(value(limit, values, begin)) : 0;
    rounds_ += std::max(rounds, 0.0);
    if (!(rounds_ <= most_rounds)) fail(begin, "more than a million rounds in all");
    const std::size_t body = at;
    std::string ended;
    TemplateValues inner = values;
    for (double i = 0; i < rounds; ++i) {
      inner[name] = i;
      inner["loop.index0"] = i;
      inner["loop.index"] = i + 1;
      inner["loop.first"] = i == 0 ? 1 : 0;
      inner["loop.last"] = i + 1 == rounds ? 1 : 0;
      at = body;
      ended = block(at, inner, true, depth + 1);
      if (ended != "endfor") break;
    }
    if (rounds < 1) ended = block(at, inner, false, depth + 1);
    if (ended != "endfor") fail(begin, "{% for %} without {% endfor %}");
  }

  static std::string number(double x) {
    if (std::floor(x) == x && std::fabs(x) < 9e15) return std::to_string(static_cast<long long>(x));
    return fmt::format("{}", x);
  }

  std::string_view text_;
  const std::string& where_;
  std::string out_;
  double rounds_ = 0;           ///< rounds of all loops
  std::size_t characters_ = 0;  ///< characters read, in all rounds
};

void replace_all(std::string& text, std::string_view from, std::string_view to) {
  for (std::size_t at = 0; (at = text.find(from, at)) != std::string::npos; at += to.size()) {
    text.replace(at, from.size(), to);
  }
}

/// Adds the commas that are missing after a text in quotes or a closing bracket.
std::string with_commas(const std::string& text) {
  std::string out;
  bool ended = false;  // a value has ended, no comma since
  for (std::size_t at = 0; at < text.size(); ++at) {
    const char c = text[at];
    if (c == ' ' || c == '\n' || c == '\t' || c == '\r') {
      out += c;
    } else if (c == '"') {
      if (ended) out += ',';
      const std::size_t end = text.find('"', at + 1);
      const std::size_t last = end == std::string::npos ? text.size() - 1 : end;
      out += text.substr(at, last - at + 1);
      at = last;
      ended = true;
    } else {
      if (ended && (c == '{' || c == '[')) out += ',';
      out += c;
      ended = c == '}' || c == ']';
    }
  }
  return out;
}

}  // namespace

std::string render(std::string_view text, const TemplateValues& values, const std::string& where) {
  return Renderer(text, where).run(values);
}

std::string normalise_slide_text(std::string_view text) {
  std::string out(text);
  for (const std::string_view quote_mark : {"\u201C", "\u201D", "\u201E", "\u2033"}) {
    replace_all(out, quote_mark, "\"");
  }
  replace_all(out, "{endfor %}", "{% endfor %}");
  const std::size_t first = out.find_first_not_of(" \t\r\n");
  if (first != std::string::npos && out[first] != '{' && out[first] != '[') out = "{" + out + "}";
  // Rendered text only: braces of tags are no values.
  if (out.find("{{") == std::string::npos && out.find("{%") == std::string::npos) {
    out = with_commas(out);
  }
  return out;
}

}  // namespace tactus::stripe
