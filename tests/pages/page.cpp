#include "tests/pages/page.h"

#include <cctype>
#include <optional>
#include <sstream>

namespace tactus {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) {
    while (!line.empty() && (line.back() == ' ' || line.back() == '\r')) line.pop_back();
    lines.push_back(line);
  }
  return lines;
}

/// Makes a heading's anchor: lower case, digits, "-" for blanks; other characters are left out.
std::string anchor(const std::string& heading) {
  std::string text;
  for (const char c : heading) {
    if (c == ' ') {
      text += '-';
    } else if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '-' || c == '_') {
      text += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return text;
}

/// Adds `code` and [text](target) of the text between code blocks. `code` may extend over several
/// lines.
void take_text(const std::string& text, Page& page) {
  std::string rest;  // text without code
  for (std::size_t at = 0; at < text.size(); ++at) {
    const std::size_t end = text[at] == '`' ? text.find('`', at + 1) : std::string::npos;
    if (end == std::string::npos) {
      rest += text[at];
      continue;
    }
    std::string code = text.substr(at + 1, end - at - 1);
    for (char& c : code) c = c == '\n' ? ' ' : c;
    page.code.push_back(code);
    at = end;
  }
  for (std::size_t at = rest.find("]("); at != std::string::npos; at = rest.find("](", at + 1)) {
    const std::size_t end = rest.find(')', at);
    if (end != std::string::npos) page.links.push_back(rest.substr(at + 2, end - at - 2));
  }
}

/// Returns true if the line begins an item of a list: "- x", "* x" or "1. x".
bool begins_item(const std::string& line) {
  const std::size_t mark = line.find_first_not_of(' ');
  const std::size_t end = line.find_first_not_of("0123456789", mark);
  if (end == std::string::npos) return false;
  const bool marked = end == mark ? line[end] == '-' || line[end] == '*' : line[end] == '.';
  return marked && line.compare(end + 1, 1, " ") == 0;
}

/// Takes the paragraphs of the text between code blocks.
void take_paragraphs(const std::string& text, Page& page) {
  bool goes_on = false;
  for (const std::string& line : lines_of(text)) {
    if (line.empty() || line[0] == '|' || line[0] == '#') {
      goes_on = false;
      continue;
    }
    if (!goes_on || begins_item(line)) page.paragraphs.emplace_back();
    page.paragraphs.back() += line + "\n";
    goes_on = true;
  }
}

/// True if `pattern` matches the whole line. "..." in the pattern matches any text.
bool matches(const std::string& pattern, const std::string& line) {
  const std::size_t gap = pattern.find("...");
  if (gap == std::string::npos) return pattern == line;
  if (line.compare(0, gap, pattern, 0, gap) != 0) return false;
  const std::string rest = pattern.substr(gap + 3);
  for (std::size_t at = gap; at <= line.size(); ++at) {
    if (matches(rest, line.substr(at))) return true;
  }
  return false;
}

}  // namespace

Page parse_page(const std::string& text) {
  Page page;
  std::string running;
  std::optional<std::string> block;  // language after the opening fence
  std::size_t number = 0;
  for (const std::string& line : lines_of(text)) {
    ++number;
    if (line.rfind("```", 0) == 0) {
      block = block ? std::nullopt : std::optional<std::string>(line.substr(3));
      running += "\n";
    } else if (!block) {
      running += line + "\n";
      if (line.rfind('#', 0) == 0) page.anchors.push_back(anchor(line.substr(line.find(' ') + 1)));
    } else if (block == "sh" && line.rfind("./tactus", 0) == 0) {
      page.commands.push_back(line.substr(0, line.find(" #")));
    } else if (block == "console" && line.rfind("$ ", 0) == 0) {
      page.examples.push_back({number, line.substr(2), {}});
    } else if (block == "console" && !page.examples.empty()) {
      page.examples.back().output.push_back(line);
    }
  }
  take_text(running, page);
  take_paragraphs(running, page);
  return page;
}

std::string missing_line(const std::vector<std::string>& shown, const std::string& printed) {
  const std::vector<std::string> lines = lines_of(printed);
  std::size_t at = 0;
  bool gap = false;
  for (const std::string& line : shown) {
    if (line == "...") {
      gap = true;
      continue;
    }
    while (gap && at < lines.size() && !matches(line, lines[at])) ++at;
    if (at == lines.size() || !matches(line, lines[at])) return line;
    ++at;
    gap = false;
  }
  if (!gap && at < lines.size()) return "(the end; printed is also: " + lines[at] + ")";
  return {};
}

}  // namespace tactus
