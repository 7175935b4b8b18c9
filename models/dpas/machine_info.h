// The tables of the DPAS machine.
#pragma once

#include "models/sim/machine_info.h"

namespace tactus {

[[nodiscard]] const MachineInfo& dpas_machine_info();

/// Places of MachineInfo::memories; registers are the files of all threads, one after the other.
enum class DpasMemory : std::size_t { memory, registers };

}  // namespace tactus
