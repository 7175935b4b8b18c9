// Helpers for messages: quotes untrusted text, suggests similar names.
#pragma once

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

namespace tactus {

/// Offset of the first byte that is not valid UTF-8 (overlong forms and surrogates are invalid), or
/// npos.
[[nodiscard]] inline std::size_t find_invalid_utf8(std::string_view text) {
  std::size_t i = 0;
  while (i < text.size()) {
    const auto lead = static_cast<unsigned char>(text[i]);
    unsigned length = 1;
    std::uint32_t code = lead;
    std::uint32_t smallest = 0;
    if (lead >= 0x80) {
      if ((lead & 0xE0U) == 0xC0U) {
        length = 2, code = lead & 0x1FU, smallest = 0x80;
      } else if ((lead & 0xF0U) == 0xE0U) {
        length = 3, code = lead & 0x0FU, smallest = 0x800;
      } else if ((lead & 0xF8U) == 0xF0U) {
        length = 4, code = lead & 0x07U, smallest = 0x10000;
      } else {
        return i;
      }
    }
    for (unsigned k = 1; k < length; ++k) {
      if (i + k >= text.size()) return i;
      const auto next = static_cast<unsigned char>(text[i + k]);
      if ((next & 0xC0U) != 0x80U) return i;
      code = (code << 6) | (next & 0x3FU);
    }
    if (code < smallest || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return i;
    i += length;
  }
  return std::string_view::npos;
}

/// Text of a file made printable on one line: control characters become \xNN (and, if the text is
/// not UTF-8, all bytes above 0x7F), and the text is cut after about `longest` bytes.
[[nodiscard]] inline std::string printable(std::string_view text, std::size_t longest = 60) {
  const bool cut = text.size() > longest;
  if (cut) {
    // A cut inside a UTF-8 sequence would turn all of the text into \xNN.
    std::size_t end = longest;
    while (end > 0 && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
    text = text.substr(0, end);
  }
  const bool utf8 = find_invalid_utf8(text) == std::string_view::npos;
  std::string out;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F || (byte >= 0x80 && !utf8)) {
      out += fmt::format("\\x{:02X}", byte);
    } else {
      out += c;
    }
  }
  if (cut) out += "...";
  return out;
}

[[nodiscard]] inline bool ends_with(std::string_view text, std::string_view end) {
  return text.size() >= end.size() && text.substr(text.size() - end.size()) == end;
}

[[nodiscard]] inline std::string quote(std::string_view text) {
  return "\"" + printable(text) + "\"";
}

/// Edits (insert, delete, replace, swap of neighbours) between two texts, letter case ignored.
[[nodiscard]] inline std::size_t edit_distance(std::string_view a, std::string_view b) {
  const auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      const std::size_t replaced = last[j - 1] + (same(a[i - 1], b[j - 1]) ? 0 : 1);
      row[j] = std::min({replaced, last[j] + 1, row[j - 1] + 1});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1])) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return last[b.size()];
}

/// `; did you mean "x"?` with the candidate nearest to `word`; empty if none is near.
[[nodiscard]] inline std::string suggestion(std::string_view word,
                                            const std::vector<std::string_view>& candidates) {
  constexpr std::size_t longest_word = 64;  // longer words are not typing mistakes
  if (word.size() > longest_word) return {};
  std::string_view best;
  std::size_t best_distance = std::max<std::size_t>(1, word.size() / 3) + 1;
  for (const std::string_view candidate : candidates) {
    if (candidate.size() > longest_word) continue;
    const std::size_t distance = edit_distance(word, candidate);
    if (distance < best_distance && distance < candidate.size()) {
      best = candidate;
      best_distance = distance;
    }
  }
  return best.empty() ? std::string() : fmt::format("; did you mean \"{}\"?", best);
}

/// `"a", "b", "c"`: allowed spellings for a message.
[[nodiscard]] inline std::string quote_list(const std::vector<std::string_view>& names) {
  std::string out;
  for (const std::string_view name : names) {
    if (!out.empty()) out += ", ";
    out += quote(name);
  }
  return out;
}

/// A whole number as users write it: 8, 65535, 2^32-1, 2^62.
[[nodiscard]] inline std::string number_text(std::uint64_t value) {
  const auto power = [](std::uint64_t v) { return v != 0 && (v & (v - 1)) == 0; };
  const auto exponent = [](std::uint64_t v) {
    unsigned bits = 0;
    while ((v >>= 1) != 0) ++bits;
    return bits;
  };
  constexpr std::uint64_t long_number = (std::uint64_t{1} << 32) - 1;
  if (value < long_number) return std::to_string(value);
  if (value == ~std::uint64_t{0}) return "2^64-1";
  if (power(value)) return fmt::format("2^{}", exponent(value));
  if (power(value + 1)) return fmt::format("2^{}-1", exponent(value + 1));
  return std::to_string(value);
}

/// "1..256"; "1 or more" if 64 bits are the only limit.
[[nodiscard]] inline std::string range_text(std::uint64_t min, std::uint64_t max) {
  if (max == ~std::uint64_t{0}) return number_text(min) + " or more";
  return number_text(min) + ".." + number_text(max);
}

}  // namespace tactus
