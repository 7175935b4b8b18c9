#include "firmware/report/tcu/run_figures.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "isa/support/quantity.h"
#include "models/sim/array_figures.h"

namespace tactus {

using Json = nlohmann::ordered_json;

Json own_figures(const TcuRunResult& run, const tcu::Architecture& architecture,
                 const std::optional<Cycle>& probe) {
  const auto optional = [](const std::optional<Cycle>& cycle) {
    return cycle ? Json(*cycle) : Json();
  };
  Json own;
  own["last_b0"] = optional(run.last_b[0]);
  own["last_b1"] = optional(run.last_b[1]);
  own["probe"] = optional(probe);
  if (run.ddr) own["ddr"] = to_json(*run.ddr);
  for (std::size_t i = 0; i < run.dais.size(); ++i) {
    own["dais"].push_back({{"block", architecture.dais_blocks[i].name},
                           {"instructions", run.dais[i].instructions},
                           {"samples", run.dais[i].samples}});
  }
  return own;
}

std::vector<Expectation> expectations(const std::vector<tcu::LayerEntry>& layers) {
  std::vector<Expectation> expected;
  for (const tcu::LayerEntry& layer : layers) {
    expected.push_back({layer.predicted_cycles, layer.bound_cycles, layer.macs});
  }
  return expected;
}

std::vector<std::pair<std::string, std::string>> summary_lines(
    const TcuRunResult& run, const tcu::Architecture& architecture, Cycle cycles, Cycle last_retire,
    std::optional<std::uint64_t> macs) {
  std::vector<std::pair<std::string, std::string>> lines;
  if (run.instructions == 0 && cycles == 0) {
    lines.emplace_back("instructions",
                       "none: the outputs lie where the inputs do, or the host computes them");
    return lines;
  }
  lines.emplace_back(
      "instructions",
      fmt::format("{} and {} NoOps of padding; last retired in cycle {}", run.instructions,
                  run.retired > run.instructions ? run.retired - run.instructions : 0,
                  last_retire));
  const std::uint64_t n = architecture.array_size;
  const auto useful = array_figures::useful(macs, cycles, n * n);
  lines.emplace_back(
      "array",
      fmt::format("{} multiplied, {} loaded; array busy {:.1f} %{}",
                  counted(run.array_runs, "vector"), counted(run.array_loads, "weight vector"),
                  100 * array_figures::busy(run.array_runs, cycles).value_or(0),
                  useful ? fmt::format(", useful MAC {:.1f} %", 100 * *useful) : ""));
  lines.emplace_back("SIMD", counted(run.alu_operations, "operation"));
  for (std::size_t i = 0; i < run.dais.size(); ++i) {
    lines.emplace_back("DAIS block", fmt::format("{}: {} samples of {} instructions",
                                                 architecture.dais_blocks[i].name,
                                                 run.dais[i].samples, run.dais[i].instructions));
  }
  for (unsigned p = 0; p < 2; ++p) {
    lines.emplace_back(
        fmt::format("DRAM{}", p),
        fmt::format(
            "{} read in {}, {} written in {}{}", counted(run.read_beats[p], "beat"),
            counted(run.read_bursts[p], "burst"), run.write_beats[p], run.write_bursts[p],
            run.last_b[p] ? fmt::format("; last response in cycle {}", *run.last_b[p]) : ""));
  }
  if (run.ddr) lines.emplace_back("memory", to_text(*run.ddr));
  return lines;
}

std::string machine_line(const TcuSimulationConfig& config) {
  const auto n = config.architecture.array_size;
  return fmt::format("{}x{} {}, AXI {} bits, {}", n, n, info(config.architecture.data_type).name,
                     config.axi_data_bits, memory_text(config));
}

}  // namespace tactus
