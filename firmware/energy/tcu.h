// Counts and sizes of a TCU, which an energy table is multiplied with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/tcu/simulation.h"
#include "firmware/energy/table.h"

namespace tactus {
struct RunDocument;
}

namespace tactus::energy {

/// On-chip resources of all units, from the design's parameters alone.
struct OnChip {
  /// Bits of local memory, accumulators, the array's weights (N+1 vectors) and SIMD registers;
  /// queues and pipeline registers are not included.
  std::uint64_t memory_bits = 0;
  std::uint64_t multipliers = 0;  ///< N * N in the array, N in the ALUs
};
[[nodiscard]] OnChip on_chip(const tcu::Architecture& architecture, std::uint64_t units = 1);

/// Events and parts of a TCU.
[[nodiscard]] Machine machine_of(const tcu::Architecture& architecture);

/// The meter for a table that an option names; empty without a table. Throws UserError if the table
/// cannot be read or lacks an event or a part.
[[nodiscard]] std::optional<Meter> meter_of(const std::string& table,
                                            const tcu::Architecture& architecture);

/// Energy of a run of `batch` images, as Meter::energy() gives it. If the run has regions, "layers"
/// has {"name", "total"} for each.
[[nodiscard]] nlohmann::ordered_json energy_of(const Meter& meter, const RunResult& run,
                                               const tcu::Architecture& architecture,
                                               const BoardValues& board, std::uint64_t batch = 1);

/// Energy of runs that were dealt out to several units: run i ran on unit i mod `units`, and has
/// `batch` images. It has no "layers".
[[nodiscard]] nlohmann::ordered_json energy_of_units(const Meter& meter,
                                                     const std::vector<const RunResult*>& runs,
                                                     std::uint64_t units,
                                                     const tcu::Architecture& architecture,
                                                     const BoardValues& board, std::uint64_t batch);

/// Adds to each run of a document the run's energy, and to the document that of all its units.
void add_to(RunDocument& document, const Meter& meter, const TcuSimulationConfig& config);

}  // namespace tactus::energy
