// Counts and sizes of a machine with a DPAS array, which an energy table is multiplied with.
//
// Counted are multiply-accumulates by kind of number (isa/dpas/precision.h), ALU operations of
// lanes, registers read and written in the threads' register files, bytes at the memory port (as
// DRAM accesses) and instructions. The array's operand buffers are not counted: a read that they
// save is no read of a register, and their own energy is not modelled.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/dpas/simulation.h"
#include "firmware/energy/table.h"

namespace tactus::energy {

/// Events and parts of the machine. The parts are multipliers for 8-bit integers and, in addition,
/// for 16-bit floats (other precisions share them); one ALU lane per channel; and the bits of its
/// threads' register files and of the operand buffers.
[[nodiscard]] Machine machine_of(const DpasSimulationConfig& config);

/// Energy of a run, as Meter::energy() gives it.
[[nodiscard]] nlohmann::ordered_json energy_of(const Meter& meter, const RunResult& run,
                                               const DpasSimulationConfig& config,
                                               const MachineRates& rates);

}  // namespace tactus::energy
