#include "firmware/compiler/targets/tcu/memory/strategy.h"

#include <array>

#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

/// Indexed by Strategy.
constexpr std::array<std::string_view, 4> names = {"local-isolated", "local-vars", "local-consts",
                                                   "local-vars-and-consts"};

}  // namespace

std::string_view to_string(Strategy strategy) { return names[static_cast<std::size_t>(strategy)]; }

Strategy parse_strategy(std::string_view name) {
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (names[i] == name) return static_cast<Strategy>(i);
  }
  const std::vector<std::string_view> all(names.begin(), names.end());
  user_error("unknown strategy {}; allowed {}{}", quote(name), quote_list(all),
             suggestion(name, all));
}

}  // namespace tactus::compiler
