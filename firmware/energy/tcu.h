// Counts and sizes of a TCU, which an energy table is multiplied with.
#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/tcu/simulation.h"
#include "firmware/energy/table.h"

namespace tactus {
struct RunDocument;
}

namespace tactus::energy {

/// On-chip resources of the design, from its parameters alone.
struct OnChip {
  /// Bits of local memory, accumulators, the array's weights (N+1 vectors) and SIMD registers;
  /// queues and pipeline registers are not included.
  std::uint64_t memory_bits = 0;
  std::uint64_t multipliers = 0;  ///< N * N in the array, N in the ALUs
};
[[nodiscard]] OnChip on_chip(const tcu::Architecture& architecture);

/// Events and parts of a TCU.
[[nodiscard]] Machine machine_of(const tcu::Architecture& architecture);

/// Energy of a run of `batch` images, as Meter::energy() gives it. If the run has regions, "layers"
/// has {"name", "total"} for each.
[[nodiscard]] nlohmann::ordered_json energy_of(const Meter& meter, const RunResult& run,
                                               const tcu::Architecture& architecture,
                                               const BoardValues& board, std::uint64_t batch = 1);

/// Adds to each run of a document the run's energy.
void add_to(RunDocument& document, const Meter& meter, const TcuSimulationConfig& config);

}  // namespace tactus::energy
