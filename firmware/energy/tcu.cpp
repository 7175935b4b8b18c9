#include "firmware/energy/tcu.h"

namespace tactus::energy {
namespace {

Counts counts_of(const Counters& counters, std::uint64_t instructions,
                 const tcu::Architecture& architecture, const BoardValues& board) {
  const std::uint64_t n = architecture.array_size;
  const std::uint64_t vector_bits = n * info(architecture.data_type).width_bits;
  const std::uint64_t beat = board.axi_data_bits / 8;
  const auto vectors = [&](std::uint64_t count) { return Count{count, count * vector_bits}; };
  const auto beats = [&](std::string_view name) {
    const std::uint64_t bytes = (counters.of(name, 0) + counters.of(name, 1)) * beat;
    return Count{bytes / architecture.vector_bytes(), 8 * bytes};
  };
  return {Count{counters.of("array_runs") * n * n, 0},
          Count{counters.of("alu_operations") * n, 0},
          vectors(counters.of("local_reads", 0) + counters.of("local_reads", 1)),
          vectors(counters.of("local_writes", 0) + counters.of("local_writes", 1)),
          vectors(counters.of("accumulator_reads")),
          vectors(counters.of("accumulator_writes")),
          beats("read_beats"),
          beats("write_beats"),
          Count{instructions, 0}};
}

}  // namespace

OnChip on_chip(const tcu::Architecture& architecture) {
  const std::uint64_t n = architecture.array_size;
  const std::uint64_t vectors = architecture.local_depth + architecture.accumulator_depth + n + 1 +
                                architecture.simd_registers_depth;
  return {vectors * n * info(architecture.data_type).width_bits, n * n + n};
}

Machine machine_of(const tcu::Architecture& architecture) {
  const std::uint64_t n = architecture.array_size;
  Machine machine;
  machine.scalar_bits = info(architecture.data_type).width_bits;
  machine.local_bytes = architecture.local_depth * n * machine.scalar_bits / 8;
  machine.accumulator_bytes = architecture.accumulator_depth * n * machine.scalar_bits / 8;
  machine.macs = n * n;
  machine.simd_lanes = n;
  machine.memory_bits = on_chip(architecture).memory_bits;
  return machine;
}

nlohmann::ordered_json energy_of(const Meter& meter, const TcuRunResult& run,
                                 const tcu::Architecture& architecture, const BoardValues& board) {
  const Counters& totals = run.accounting.totals;
  nlohmann::ordered_json json = meter.energy(counts_of(totals, run.retired, architecture, board),
                                             run.cycles, board.clock_mhz);
  for (const RegionFigures& region : run.accounting.regions) {
    const Counts counts = counts_of(region.counters, region.instructions, architecture, board);
    json["layers"].push_back(
        {{"name", region.name}, {"total", meter.total(counts, region.counters.cycles())}});
  }
  return json;
}

}  // namespace tactus::energy
