#include "firmware/energy/tcu.h"

#include <algorithm>

#include "firmware/energy/report.h"
#include "firmware/report/run_document.h"

namespace tactus::energy {
namespace {

/// Sizes of the on-chip memories in bytes.
struct Memories {
  explicit Memories(const tcu::Architecture& architecture)
      : local(bytes(architecture, architecture.local_depth)),
        accumulators(bytes(architecture, architecture.accumulator_depth)) {}
  static double bytes(const tcu::Architecture& architecture, std::uint64_t depth) {
    return static_cast<double>(depth * architecture.array_size *
                               info(architecture.data_type).width_bits) /
           8;
  }
  double local, accumulators;
};

Counts counts_of(const Counters& counters, std::uint64_t instructions,
                 const tcu::Architecture& architecture, const BoardValues& board) {
  const std::uint64_t n = architecture.array_size;
  const std::uint64_t vector_bits = n * info(architecture.data_type).width_bits;
  const std::uint64_t beat = board.axi_data_bits / 8;
  const auto vectors = [&](Event event, double size, std::uint64_t count) {
    return Count{event, size, count, count * vector_bits};
  };
  const auto beats = [&](Event event, std::string_view name) {
    const std::uint64_t bytes = (counters.of(name, 0) + counters.of(name, 1)) * beat;
    return Count{event, 0, bytes / architecture.vector_bytes(), 8 * bytes};
  };
  const double scalar = info(architecture.data_type).width_bits;
  const Memories memories(architecture);
  return {
      {Event::mac, scalar, counters.of("array_runs") * n * n, 0},
      {Event::simd_lane, scalar, counters.of("alu_operations") * n, 0},
      vectors(Event::local_read, memories.local,
              counters.of("local_reads", 0) + counters.of("local_reads", 1)),
      vectors(Event::local_write, memories.local,
              counters.of("local_writes", 0) + counters.of("local_writes", 1)),
      vectors(Event::accumulator_read, memories.accumulators, counters.of("accumulator_reads")),
      vectors(Event::accumulator_write, memories.accumulators, counters.of("accumulator_writes")),
      beats(Event::dram_read, "read_beats"),
      beats(Event::dram_write, "write_beats"),
      {Event::instruction, 0, instructions, 0}};
}

}  // namespace

OnChip on_chip(const tcu::Architecture& architecture, std::uint64_t units) {
  const std::uint64_t n = architecture.array_size;
  const std::uint64_t vectors = architecture.local_depth + architecture.accumulator_depth + n + 1 +
                                architecture.simd_registers_depth;
  return {units * vectors * n * info(architecture.data_type).width_bits, units * (n * n + n)};
}

Machine machine_of(const tcu::Architecture& architecture) {
  const double scalar = info(architecture.data_type).width_bits;
  const std::uint64_t n = architecture.array_size;
  const Memories memories(architecture);
  return {"a TCU",
          {{Event::mac, scalar},
           {Event::simd_lane, scalar},
           {Event::local_read, memories.local},
           {Event::local_write, memories.local},
           {Event::accumulator_read, memories.accumulators},
           {Event::accumulator_write, memories.accumulators},
           {Event::dram_read},
           {Event::dram_write},
           {Event::instruction}},
          {{Part::mac, scalar, n * n},
           {Part::simd_lane, scalar, n},
           {Part::memory_bit, 0, on_chip(architecture).memory_bits}}};
}

std::optional<Meter> meter_of(const std::string& table, const tcu::Architecture& architecture) {
  if (table.empty()) return std::nullopt;
  return Meter(read_table(table), machine_of(architecture));
}

nlohmann::ordered_json energy_of(const Meter& meter, const RunResult& run,
                                 const tcu::Architecture& architecture, const BoardValues& board,
                                 std::uint64_t batch) {
  const Counters& totals = run.accounting.totals;
  nlohmann::ordered_json json = meter.energy(counts_of(totals, run.retired, architecture, board),
                                             run.cycles, board.clock_mhz, batch);
  for (const RegionFigures& region : run.accounting.regions) {
    const Counts counts = counts_of(region.counters, region.instructions, architecture, board);
    json["layers"].push_back(
        {{"name", region.name}, {"total", meter.total(counts, region.counters.cycles())}});
  }
  return json;
}

nlohmann::ordered_json energy_of_units(const Meter& meter,
                                       const std::vector<const RunResult*>& runs,
                                       std::uint64_t units, const tcu::Architecture& architecture,
                                       const BoardValues& board, std::uint64_t batch) {
  Counters totals(*runs.front()->accounting.totals.info);
  std::uint64_t retired = 0;
  std::vector<std::uint64_t> cycles(units);  // of each unit
  for (std::size_t i = 0; i < runs.size(); ++i) {
    totals += runs[i]->accounting.totals;
    retired += runs[i]->retired;
    cycles[i % units] += runs[i]->cycles;
  }
  return meter.energy(counts_of(totals, retired, architecture, board),
                      *std::max_element(cycles.begin(), cycles.end()), board.clock_mhz,
                      runs.size() * batch, units);
}

void add_to(RunDocument& document, const Meter& meter, const TcuSimulationConfig& config) {
  if (document.units > 1) {
    std::vector<const RunResult*> runs;
    for (const ReportedRun& run : document.images) runs.push_back(run.run);
    document.energy_of_units =
        energy_of_units(meter, runs, document.units, config.architecture, config, document.batch);
  }
  for (ReportedRun& run : document.images) {
    add_to(document, run, energy_of(meter, *run.run, config.architecture, config, document.batch));
  }
}

}  // namespace tactus::energy
