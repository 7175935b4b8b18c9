// Choice of the set of arithmetic kernels: the best for the processor, or the one that
// TACTUS_KERNELS names, for comparing results and speeds. All sets compute the same bits.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

namespace tactus {

/// Value of TACTUS_KERNELS: "reference", "portable", "avx2" or "avx512"; empty: the best. Throws
/// UserError for another value.
[[nodiscard]] const std::string& kernels_wanted();

/// Throws the UserError that this processor or build does not have the set that TACTUS_KERNELS
/// names.
[[noreturn]] void refuse_kernels(std::string_view subject);

/// The set that TACTUS_KERNELS names, or else the last supported one. `sets`: name and set, ordered
/// from slow to fast.
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
