// The tables that describe the DPAS machine: units, states, counters, figures, events.
#pragma once

#include "models/sim/machine_info.h"

namespace tactus {

[[nodiscard]] const MachineInfo& dpas_machine_info();

/// Indices in MachineInfo::memories. `registers` has the register files of all threads, one behind
/// the other.
enum class DpasMemory : std::size_t { memory, registers };

}  // namespace tactus
