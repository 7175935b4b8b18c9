#include "isa/support/kernel_choice.h"

#include <algorithm>
#include <cstdlib>
#include <vector>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus {

const std::string& kernels_wanted() {
  static const std::string wanted = [] {
    const std::vector<std::string_view> names{"reference", "portable", "avx2", "avx512"};
    const char* const variable = std::getenv("TACTUS_KERNELS");
    std::string name = variable == nullptr ? "" : variable;
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end()) {
      user_error("TACTUS_KERNELS is {}; allowed {}{}", quote(name), quote_list(names),
                 suggestion(name, names));
    }
    return name;
  }();
  return wanted;
}

void refuse_kernels(std::string_view subject) {
  user_error("TACTUS_KERNELS is {}, and there are no such kernels of {} on this processor",
             quote(kernels_wanted()), subject);
}

}  // namespace tactus
