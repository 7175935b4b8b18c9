#include "firmware/report/dpas/run_figures.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "isa/support/quantity.h"
#include "models/sim/array_figures.h"

namespace tactus {

std::vector<std::pair<std::string, std::string>> dpas_summary_lines(const DpasRunResult& run) {
  const auto share = [](std::uint64_t part, std::uint64_t of) {
    return of == 0 ? 0 : 100 * static_cast<double>(part) / static_cast<double>(of);
  };
  const Counters& totals = run.accounting.totals;
  std::vector<std::pair<std::string, std::string>> lines{
      {"instructions", fmt::format("{}; last issued in cycle {}", run.retired, run.last_retire)},
      {"array", fmt::format("{} DPAS, {} MAC; array busy {:.1f} %", run.dpas, run.macs,
                            100 * array_figures::busy(run.rows, run.cycles).value_or(0))},
      {"registers", fmt::format("{} read, {} saved by operand buffers ({:.1f} %), {} written",
                                run.grf_reads, run.grf_reads_saved,
                                share(run.grf_reads_saved, run.grf_reads + run.grf_reads_saved),
                                run.grf_writes)},
      {"memory",
       fmt::format("{} loaded by {}, {} stored by {}", counted(run.bytes_loaded, "byte"),
                   counted(totals.of("loads"), "message"), run.bytes_stored, totals.of("stores"))},
  };
  if (run.ddr) lines.emplace_back("DRAM", to_text(*run.ddr));
  return lines;
}

std::string dpas_machine_line(const DpasSimulationConfig& config) {
  const dpas::MachineParameters& machine = config.machine;
  const std::string memory =
      machine.memory == dpas::MemoryKind::ideal
          ? fmt::format("ideal memory, latency {}, {} bytes a cycle", machine.ideal_cycles(),
                        machine.ideal_bytes)
          : fmt::format("AXI {} bits, {}", config.axi_data_bits, memory_text(config));
  return fmt::format("{}: {} channels, depth {}, {} of {} registers of {} bytes, {}",
                     machine.profile.name, machine.profile.execution_size,
                     machine.profile.array_depth, counted(machine.threads, "thread"),
                     machine.profile.grf_count, machine.profile.grf_bytes, memory);
}

RunDocument dpas_document(const std::string& subject, const std::string& board,
                          const DpasSimulationConfig& config, const MachineRates& rates) {
  RunDocument document;
  document.kind = "program";
  document.subject = subject;
  document.machine = dpas_machine_line(config);
  document.board = board;
  document.accuracy = "cycles follow published latencies; no silicon was measured";
  document.clock_mhz = config.clock_mhz;
  document.rates = rates;
  return document;
}

ReportedRun dpas_reported_run(const DpasRunResult& run) {
  ReportedRun reported;
  reported.run = &run;
  reported.cycles = run.cycles;
  reported.last_retire = run.last_retire;
  if (run.ddr) reported.own["ddr"] = to_json(*run.ddr);
  reported.lines = dpas_summary_lines(run);
  return reported;
}

}  // namespace tactus
