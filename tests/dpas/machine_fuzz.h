// Functions shared by the fuzz target for DPAS machines and its replay test.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/driver/dpas/simulation.h"

namespace tactus::dpas {

/// Numbers of programs, by outcome.
struct MachineFuzzCounts {
  std::uint64_t refused = 0;  ///< before the run
  std::uint64_t failed = 0;   ///< ended by an error during the run
  std::uint64_t finished = 0, hung = 0, cut_off = 0;
};
[[nodiscard]] MachineFuzzCounts& machine_fuzz_counts();

/// Returns a random machine for these 8 bytes (most significant first). It may have any value of
/// the profile and of MachineParameters.
[[nodiscard]] DpasSimulationConfig fuzzed_machine(std::uint64_t seed);

}  // namespace tactus::dpas
