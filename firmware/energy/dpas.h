// What an energy table is multiplied with on a machine with a DPAS array.
//
// Multiply-accumulates by kind of number (isa/dpas/precision.h), lanes of the ALU, registers of the
// threads' register files, bytes at the memory port as those of DRAM, instructions. Operand buffers
// of the array are not in it: neither what they save, which is no read, nor what they hold.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/dpas/simulation.h"
#include "firmware/energy/table.h"

namespace tactus::energy {

/// Its parts: the multipliers of its whole numbers and, beside them, those of its 16-bit floats
/// (the other precisions share them), an ALU lane a channel, register files of its threads and
/// operand buffers.
[[nodiscard]] Machine machine_of(const DpasSimulationConfig& config);

[[nodiscard]] nlohmann::ordered_json energy_of(const Meter& meter, const RunResult& run,
                                               const DpasSimulationConfig& config,
                                               const MachineRates& rates);

}  // namespace tactus::energy
