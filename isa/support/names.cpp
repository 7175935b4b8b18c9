#include "isa/support/names.h"

#include <algorithm>
#include <cstddef>
#include <set>

#include <fmt/format.h>

#include "isa/support/text.h"

namespace tactus {
namespace {

constexpr std::size_t longest_file_name = 200;  // file systems allow 255

/// Length in bytes of the UTF-8 character at the start of a text, which must not be empty; 0 if it
/// is not UTF-8.
std::size_t character_bytes(std::string_view text) {
  for (std::size_t length = 1; length <= std::min<std::size_t>(4, text.size()); ++length) {
    if (find_invalid_utf8(text.substr(0, length)) == std::string_view::npos) return length;
  }
  return 0;
}

/// True for C0 and C1 controls, line and paragraph separators, and marks and overrides of text
/// direction.
bool is_control(std::string_view character) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(character[i]); };
  if (character.size() == 1) return byte(0) < 0x20 || byte(0) == 0x7F;
  if (character.size() == 2) return byte(0) == 0xC2 && byte(1) < 0xA0;
  if (character.size() != 3 || byte(0) != 0xE2) return false;
  const unsigned code = (byte(1) & 0x3FU) << 6 | (byte(2) & 0x3FU);  // U+2000 and above
  return code == 0x0E || code == 0x0F || (code >= 0x28 && code <= 0x2E) ||
         (code >= 0x66 && code <= 0x69);
}

std::string cut_to(std::string text, std::size_t most) {
  if (text.size() <= most) return text;
  while (most > 0 && (static_cast<unsigned char>(text[most]) & 0xC0U) == 0x80U) --most;
  text.resize(most);
  return text;
}

std::string without_separators(const std::string& name) {
  std::string file = printable_name(name);
  for (char& c : file) {
    if (std::string_view("/\\:*?\"<>| ").find(c) != std::string_view::npos) c = '_';
  }
  return cut_to(file, longest_file_name);
}

}  // namespace

std::string printable_name(std::string_view name) {
  std::string out;
  while (!name.empty()) {
    const std::size_t length = character_bytes(name);
    const std::string_view character = name.substr(0, std::max<std::size_t>(1, length));
    if (length != 0 && !is_control(character)) {
      out += character;
    } else {
      for (const char c : character) {
        out += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
      }
    }
    name.remove_prefix(character.size());
  }
  return out;
}

std::map<std::string, std::string> file_names(const std::vector<std::string>& names) {
  std::map<std::string, std::string> files;
  std::set<std::string> taken;
  for (const std::string& name : names) {
    if (without_separators(name) == name && taken.insert(name).second) files[name] = name;
  }
  for (const std::string& name : names) {
    if (files.count(name) != 0) continue;
    const std::string base = without_separators(name);
    std::string file = base;
    for (unsigned n = 2; !taken.insert(file).second; ++n) file = fmt::format("{}~{}", base, n);
    files[name] = file;
  }
  return files;
}

}  // namespace tactus
