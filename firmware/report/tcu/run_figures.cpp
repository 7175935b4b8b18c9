#include "firmware/report/tcu/run_figures.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "firmware/driver/tcu/simulation_parameters.h"
#include "firmware/report/configuration_figures.h"
#include "isa/support/json_text.h"
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

RunDocument tcu_document(const std::string& kind, const std::string& subject,
                         const TcuSimulationConfig& config, const MachineRates& rates,
                         const TcuImages& ran, std::optional<std::uint64_t> macs) {
  RunDocument document;
  document.kind = kind;
  document.subject = subject;
  document.machine = machine_line(config);
  document.clock_mhz = config.clock_mhz;
  document.host_us = config.host_us;
  document.rates = rates;
  document.macs = macs;
  if (kind == "model") document.constants = 0;
  for (const ImageResult& image : ran.images) {
    const TcuRunResult& run = image.run;
    if (document.constants) document.constants = std::max(*document.constants, image.constants);
    ReportedRun reported;
    reported.run = &run;
    // In driver mode an image ends when its probe has arrived.
    reported.cycles = image.probe.value_or(run.cycles);
    // Golden figures include the padding of a model's stream, but not the padding of a bare
    // program.
    reported.last_retire = kind == "program" ? run.last_retire : run.last_retire_padded;
    reported.own = own_figures(run, config.architecture, image.probe);
    reported.lines =
        summary_lines(run, config.architecture, reported.cycles, reported.last_retire, macs);
    document.images.push_back(std::move(reported));
  }
  document.units = ran.tcus;
  document.alone = ran.alone;
  if (ran.shared_memory) {
    document.shared_memory = to_json(*ran.shared_memory);
    for (unsigned u = 0; u < ran.shared_memory->parties; ++u) {
      document.waits_for_others.push_back(waits_for_others(*ran.shared_memory, u));
    }
  }
  return document;
}

void add_tcu_configuration(Json& json, const TcuSimulationConfig& config, Asker asker,
                           const RunRequest& request, const std::vector<std::string>& leave_out) {
  json["architecture"] = json_of_text(tcu::to_json(config.architecture, -1));
  add_configuration_figures(json, request_parameters(asker), request, leave_out);
  add_configuration_figures<BoardValues>(json, board_parameters(), config, {"clock_mhz"});
  json["clock_mhz"] = config.clock_mhz;
  add_configuration_figures(json, simulation_parameters(), config, {});
}

}  // namespace tactus
