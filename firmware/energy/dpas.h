// Counts and sizes of a machine with a DPAS array, which an energy table is multiplied with.
//
// Multiply-accumulates by kind of number (isa/dpas/precision.h), lanes of the ALU, registers of the
// threads' register files, bytes at the memory port (counted as DRAM), instructions. Operand
// buffers of the array are not counted: saved reads are no reads, and the buffers' own energy is
// not modelled.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/dpas/simulation.h"
#include "firmware/energy/table.h"

namespace tactus::energy {

/// Parts of the machine: multipliers for integers and, in addition, for 16-bit floats (other
/// precisions share them), one ALU lane per channel, register files of its threads, operand
/// buffers.
[[nodiscard]] Machine machine_of(const DpasSimulationConfig& config);

[[nodiscard]] nlohmann::ordered_json energy_of(const Meter& meter, const RunResult& run,
                                               const DpasSimulationConfig& config,
                                               const MachineRates& rates);

}  // namespace tactus::energy
