// Runs random programs on machines and compares memory contents, between machines and with the
// reference.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "firmware/driver/tcu/simulation.h"
#include "tests/support/functional_model.h"
#include "tests/support/random_program.h"

namespace tactus {

/// Configuration of a machine that can run the program, with default timing.
[[nodiscard]] TcuSimulationConfig machine_config(const RandomProgram& program);

/// Sets random latencies, stalls at the ports and gaps in the instruction stream.
void randomise_timing(Random& random, TcuSimulationConfig& config);

/// Text such as "AXI 64 bits, latencies 3/1, ...".
[[nodiscard]] std::string describe(const TcuSimulationConfig& config);

/// Writes the program's initial DRAM contents.
void load_windows(const RandomProgram& program, TcuSimulation& simulation);
void load_windows(const RandomProgram& program, FunctionalModel& model);

/// Returns the bytes of local memory, accumulators and the program's DRAM windows.
[[nodiscard]] std::vector<std::uint8_t> contents(TcuSimulation& simulation,
                                                 const RandomProgram& program);

/// Describes the first difference between a machine and the reference, in memory contents and
/// totals. Empty if there is none.
[[nodiscard]] std::string difference(TcuSimulation& simulation, const FunctionalModel& reference);
[[nodiscard]] std::string difference(const tcu::Architecture& architecture, unsigned axi_data_bits,
                                     const TcuRunResult& result,
                                     const FunctionalModel::Counts& counts);

/// Finds the shortest prefix of a program that fails. `failure` returns a description of the error,
/// or an empty text. The returned text has everything needed to repeat the failure; it is empty if
/// the whole program does not fail.
[[nodiscard]] std::string shortest_failure(
    const RandomProgram& program, const std::function<std::string(const RandomProgram&)>& failure);

}  // namespace tactus
