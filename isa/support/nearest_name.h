// Suggests a name for one that does not exist, or lists those that do.
#pragma once

#include <cctype>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/text.h"

namespace tactus {

/// True if `whole` has `part` between its ends, dots, dashes and underscores: "array_size" in
/// "architecture.array_size", "--clock" in "--clock-mhz".
[[nodiscard]] inline bool has_part(std::string_view whole, std::string_view part) {
  const auto is_inside = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0; };
  for (std::size_t at = whole.find(part); at != std::string_view::npos;
       at = whole.find(part, at + 1)) {
    const std::size_t end = at + part.size();
    if ((at == 0 || !is_inside(whole[at - 1])) && (end == whole.size() || !is_inside(whole[end]))) {
      return true;
    }
  }
  return false;
}

/// Does the same as suggestion(). If the spelling of no candidate is near, it names the shortest
/// candidate that has the word as a part.
[[nodiscard]] inline std::string nearest_name(std::string_view word,
                                              const std::vector<std::string_view>& candidates) {
  constexpr std::size_t least = 3;  // shorter words are parts of too many names
  std::string near = suggestion(word, candidates);
  if (!near.empty() || word.size() < least) return near;
  std::string_view best;
  for (const std::string_view candidate : candidates) {
    if (has_part(candidate, word) && (best.empty() || candidate.size() < best.size())) {
      best = candidate;
    }
  }
  return best.empty() ? near : fmt::format("; did you mean \"{}\"?", best);
}

/// `; allowed "a", "b"`: of more than 12 names the first 12 and the number of the others.
[[nodiscard]] inline std::string allowed_names(std::vector<std::string_view> names) {
  constexpr std::size_t most = 12;
  if (names.empty()) return "; allowed none";
  const std::size_t others = names.size() > most ? names.size() - most : 0;
  names.resize(names.size() - others);
  return "; allowed " + quote_list(names) + (others > 0 ? fmt::format(" and {} more", others) : "");
}

}  // namespace tactus
