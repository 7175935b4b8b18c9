// Strategies: the memories that hold variables and constants while the program runs.
//
// Source: toolchain spec sections 3.5, 3.8 and 3.9.
#pragma once

#include <cstdint>
#include <string_view>

namespace tactus::compiler {

/// Inputs and outputs are in DRAM0 under every strategy. All but the first keep a whole layer on
/// chip and cannot split one.
enum class Strategy : std::uint8_t {
  local_isolated,         ///< variables DRAM0, constants DRAM1, local memory for one partition
  local_vars,             ///< variables local, constants DRAM1
  local_consts,           ///< variables DRAM0, constants local
  local_vars_and_consts,  ///< both local
};

[[nodiscard]] constexpr bool variables_are_local(Strategy s) {
  return s == Strategy::local_vars || s == Strategy::local_vars_and_consts;
}
[[nodiscard]] constexpr bool constants_are_local(Strategy s) {
  return s == Strategy::local_consts || s == Strategy::local_vars_and_consts;
}

/// "local-isolated", "local-vars", "local-consts", "local-vars-and-consts".
[[nodiscard]] std::string_view to_string(Strategy strategy);
/// Parses a name. Throws UserError with the allowed names.
[[nodiscard]] Strategy parse_strategy(std::string_view name);

}  // namespace tactus::compiler
