// The tables of the TCU for everything that is shared between machines; see models/sim/machine.h.
#pragma once

#include "models/sim/machine_info.h"

namespace tactus {

/// Places in MachineInfo::memories.
enum class TcuMemory : std::uint8_t { dram0, dram1, local, accumulators };

[[nodiscard]] const MachineInfo& tcu_machine_info();

}  // namespace tactus
