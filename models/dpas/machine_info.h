// The tables that describe the DPAS machine.
#pragma once

#include "models/sim/machine_info.h"

namespace tactus {

[[nodiscard]] const MachineInfo& dpas_machine_info();

/// Index in MachineInfo::memories. `registers` are the register files of all threads in order.
enum class DpasMemory : std::size_t { memory, registers };

}  // namespace tactus
