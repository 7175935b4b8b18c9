// What an energy table is multiplied with on a TCU.
#pragma once

#include <cstdint>

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/tcu/simulation.h"
#include "firmware/energy/table.h"

namespace tactus::energy {

/// What the design needs on the chip, from its parameters alone.
struct OnChip {
  /// Local memory, accumulators, weights of the array (N+1 vectors) and SIMD registers; queues and
  /// pipeline registers left out.
  std::uint64_t memory_bits = 0;
  std::uint64_t multipliers = 0;  ///< N * N in the array, N in the ALUs
};
[[nodiscard]] OnChip on_chip(const tcu::Architecture& architecture);

[[nodiscard]] Machine machine_of(const tcu::Architecture& architecture);

/// The energy of a run, "per_image" of its `batch` images, and under "layers" that of its regions,
/// where it has any: {"name", "total"}.
[[nodiscard]] nlohmann::ordered_json energy_of(const Meter& meter, const RunResult& run,
                                               const tcu::Architecture& architecture,
                                               const BoardValues& board, std::uint64_t batch = 1);

}  // namespace tactus::energy
