// Runs random programs on machines and compares contents, with each other and with the reference.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "firmware/driver/tcu/simulation.h"
#include "tests/support/functional_model.h"
#include "tests/support/random_program.h"

namespace tactus {

/// A machine for the program, timing left at its defaults.
[[nodiscard]] TcuSimulationConfig machine_config(const RandomProgram& program);

/// Random latencies, stalls at the borders and gaps in the instruction stream.
void randomise_timing(Random& random, TcuSimulationConfig& config);

/// "AXI 64 bits, latencies 3/1, ...".
[[nodiscard]] std::string describe(const TcuSimulationConfig& config);

void load_windows(const RandomProgram& program, TcuSimulation& simulation);
void load_windows(const RandomProgram& program, FunctionalModel& model);

/// Local memory, accumulators and the program's DRAM windows, byte by byte.
[[nodiscard]] std::vector<std::uint8_t> contents(TcuSimulation& simulation,
                                                 const RandomProgram& program);

/// The first difference between a machine and the reference: contents of all memories, and totals.
/// Empty if there is none.
[[nodiscard]] std::string difference(TcuSimulation& simulation, const FunctionalModel& reference);
[[nodiscard]] std::string difference(const tcu::Architecture& architecture, unsigned axi_data_bits,
                                     const TcuRunResult& result,
                                     const FunctionalModel::Counts& counts);

/// Cuts a failing program to its shortest failing prefix. `failure` returns what is wrong, or
/// nothing. The text says everything needed to repeat it; empty if the whole program does not fail.
[[nodiscard]] std::string shortest_failure(
    const RandomProgram& program, const std::function<std::string(const RandomProgram&)>& failure);

}  // namespace tactus
