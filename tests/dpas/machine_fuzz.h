// What the fuzz target over DPAS machines shares with its replay test.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/driver/dpas/simulation.h"

namespace tactus::dpas {

/// How many programs came to what.
struct MachineFuzzCounts {
  std::uint64_t refused = 0;  ///< before they ran
  std::uint64_t failed = 0;   ///< with an error while they ran
  std::uint64_t finished = 0, hung = 0, cut_off = 0;
};
[[nodiscard]] MachineFuzzCounts& machine_fuzz_counts();

/// The machine that these 8 bytes, the most significant first, choose: all that a profile and
/// MachineParameters have, at random.
[[nodiscard]] DpasSimulationConfig fuzzed_machine(std::uint64_t seed);

}  // namespace tactus::dpas
