// Which set of arithmetic kernels computes: the processor's best, or what TACTUS_KERNELS names, so
// that results and speeds of the sets can be compared. They compute the same bits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tactus {

/// "reference", "portable", "avx2", "avx512"; empty: the best. Throws UserError for another value.
[[nodiscard]] const std::string& kernels_wanted();

/// Throws UserError: TACTUS_KERNELS names a set that this processor or build does not have.
[[noreturn]] void refuse_kernels(std::string_view subject);

/// The set of this name, or the last one that is supported. `sets`: by name, the fastest last.
template <typename Set, std::size_t count>
[[nodiscard]] Set choose_kernels(std::string_view subject,
                                 const std::pair<std::string_view, Set> (&sets)[count],
                                 bool (*supported)(Set)) {
  const std::string& wanted = kernels_wanted();
  for (std::size_t i = count; i-- > 0;) {
    if (!wanted.empty() && wanted != sets[i].first) continue;
    if (supported(sets[i].second)) return sets[i].second;
  }
  refuse_kernels(subject);
}

}  // namespace tactus
