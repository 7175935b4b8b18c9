// The machines that Tactus has.
#pragma once

#include <string_view>
#include <vector>

#include "models/sim/machine_info.h"

namespace tactus {

[[nodiscard]] const std::vector<const MachineInfo*>& machines();

/// Throws UserError, naming those that there are, if there is none of this name.
[[nodiscard]] const MachineInfo& machine_info(std::string_view name);

}  // namespace tactus
