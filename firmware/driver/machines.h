// The list of machines of Tactus.
#pragma once

#include <string_view>
#include <vector>

#include "models/sim/machine_info.h"

namespace tactus {

[[nodiscard]] const std::vector<const MachineInfo*>& machines();

/// Finds a machine by its name. Throws a UserError that lists the names if there is none.
[[nodiscard]] const MachineInfo& machine_info(std::string_view name);

}  // namespace tactus
