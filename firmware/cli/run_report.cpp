#include "firmware/cli/run_report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "firmware/cli/run_parameters.h"
#include "firmware/cli/version.h"
#include "firmware/driver/tcu/simulation_parameters.h"
#include "firmware/report/run_figures.h"
#include "firmware/report/run_page.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

const char* end_name(RunEnd end) {
  switch (end) {
    case RunEnd::finished:
      return "finished";
    case RunEnd::hang:
      return "hang";
    case RunEnd::cycle_limit:
      return "cycle_limit";
  }
  return "";
}

Json optional_cycle(const std::optional<Cycle>& cycle) { return cycle ? Json(*cycle) : Json(); }

/// Golden figures count the padding of a model's stream, but not that of a bare program.
Cycle last_retire(const RunPlan& plan, const RunResult& run) {
  return plan.model ? run.last_retire_padded : run.last_retire;
}

/// Driver mode ends an image when its probe has arrived.
Cycle image_cycles(const ImageResult& image) { return image.probe.value_or(image.run.cycles); }

double milliseconds(const RunPlan& plan, Cycle cycles) {
  return static_cast<double>(cycles) / plan.config.clock_mhz / 1e3;
}

Json image_json(const RunPlan& plan, const ImageResult& image) {
  const RunResult& run = image.run;
  const Cycle cycles = image_cycles(image);
  Json json;
  json["end"] = end_name(run.end);
  json["cycles"] = cycles;
  json["latency_ms"] = milliseconds(plan, cycles);
  json["instructions"] = run.instructions;
  json["instructions_retired"] = run.retired;
  json["last_retire"] = last_retire(plan, run);
  json["last_b0"] = optional_cycle(run.last_b[0]);
  json["last_b1"] = optional_cycle(run.last_b[1]);
  json["probe"] = optional_cycle(image.probe);
  json["read_beats"] = run.read_beats;
  json["write_beats"] = run.write_beats;
  json["read_bursts"] = run.read_bursts;
  json["write_bursts"] = run.write_bursts;
  json["array_runs"] = run.array_runs;
  json["array_loads"] = run.array_loads;
  json["array_utilisation"] = array_utilisation(run.array_runs, cycles);
  json["alu_operations"] = run.alu_operations;
  for (std::size_t i = 0; i < run.dais.size(); ++i) {
    json["dais"].push_back({{"block", plan.config.architecture.dais_blocks[i].name},
                            {"instructions", run.dais[i].instructions},
                            {"samples", run.dais[i].samples}});
  }
  json["accounting"] = accounting_json(run.accounting, Shape(plan.config));
  return json;
}

/// Parameters as statistics files spell them: cycles are named in the key.
template <typename T>
void write_figures(Json& json, const ParameterTable<T>& table, const T& values,
                   const std::vector<std::string>& leave_out) {
  Json all;
  table.write(all, values);
  for (const Parameter<T>& parameter : table) {
    const auto& out = leave_out;
    if (std::find(out.begin(), out.end(), parameter.key) != out.end()) continue;
    if (!parameter.shapes_machine || !all.contains(parameter.key)) continue;
    json[parameter.key + (parameter.unit == "cycles" ? "_cycles" : "")] = all[parameter.key];
  }
}

Json config_json(const RunPlan& plan) {
  const TcuSimulationConfig& config = plan.config;
  Json json;
  if (plan.model) {
    json["model"] = plan.model->path;
  } else {
    json["program"] = plan.workload.program;
  }
  if (!plan.board.name.empty()) {
    json["board"] = plan.board.name;
    json["board_of_model"] = plan.board.of_model;
  }
  json["architecture"] = Json::parse(tcu::to_json(config.architecture, -1));
  write_figures<RunChoices>(json, run_parameters(), plan, {"max_cycles", "regions"});
  write_figures<BoardValues>(json, board_parameters(), config, {"clock_mhz"});
  json["clock_mhz"] = config.clock_mhz;
  write_figures(json, simulation_parameters(), config, {});
  return json;
}

}  // namespace

double array_utilisation(std::uint64_t runs, Cycle cycles) {
  // One run uses each of the N*N multipliers once, so N cancels out.
  return cycles == 0 ? 0 : static_cast<double>(runs) / static_cast<double>(cycles);
}

std::string stats_json(const RunReport& report) {
  Json json;
  json["tool"] = "tactus";
  json["version"] = version;
  json["revision"] = git_revision;
  json.update(image_json(report.plan, report.images.front()));
  json["total_cycles"] = report.total_cycles;
  json["wall_seconds"] = report.wall_seconds;
  json["cycles_per_second"] = static_cast<double>(report.total_cycles) / report.wall_seconds;
  json["config"] = config_json(report.plan);
  json["images"] = Json::array();
  for (const ImageResult& image : report.images) {
    json["images"].push_back(image_json(report.plan, image));
  }
  json["figures"] = figures_json(Shape(report.plan.config));
  // File names need not be UTF-8; JSON has to be.
  return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

namespace {

std::string machine_line(const TcuSimulationConfig& config) {
  const auto n = config.architecture.array_size;
  return fmt::format("{}x{} {}, AXI {} bits, memory latency {} read {} write", n, n,
                     info(config.architecture.data_type).name, config.axi_data_bits,
                     config.read_latency, config.write_latency);
}

std::string subject(const RunPlan& plan) {
  return plan.model ? plan.model->file.name : plan.workload.program;
}

/// The lines about lost cycles, memory and roofline.
std::string accounting_lines(const Accounting& a, const Shape& shape) {
  std::string text;
  const auto share = [&](std::uint64_t cycles) { return 100 * ratio(cycles, a.cycles); };
  const std::vector<LostCycles> lost = lost_cycles(a.totals);
  const char* label = "lost cycles";
  text += fmt::format("{:<14}{:.1f} %: no vector multiplied in {} of {} cycles{}\n", label,
                      share(lost_total(a.totals)), lost_total(a.totals), a.cycles,
                      lost.empty() ? "" : "; most for");
  for (std::size_t i = 0; i < std::min<std::size_t>(3, lost.size()); ++i) {
    text += fmt::format("{:<14}{:5.1f} %  {}\n", "", share(lost[i].cycles),
                        ArrayTime::titles[lost[i].reason]);
  }
  const Roofline r = roofline(a.totals, shape);
  label = "roofline";
  text += fmt::format(
      "{:<14}{:.1f} of {:g} MAC/cycle, {:.2f} of {:g} bytes/cycle; {:.1f} % of the {} roof\n",
      label, r.macs_per_cycle, r.peak_macs_per_cycle, r.bytes_per_cycle, r.peak_bytes_per_cycle,
      100 * r.share_of_roof, r.memory_bound ? "memory" : "compute");
  return text;
}

}  // namespace

std::string report_html(const RunReport& report) {
  const RunPlan& plan = report.plan;
  const ImageResult& image = report.images.front();
  RunPage page;
  page.title = subject(plan);
  page.lead = fmt::format("{}. Simulated cycle by cycle by Tactus {} ({}).",
                          machine_line(plan.config), version, git_revision);
  if (image.run.end == RunEnd::hang) page.ending = "The program hangs; figures are up to there.";
  if (image.run.end == RunEnd::cycle_limit) {
    page.ending = "The run was stopped at its cycle limit; figures are up to there.";
  }
  page.cycles = image_cycles(image);
  page.clock_mhz = plan.config.clock_mhz;
  page.images = report.images.size();
  page.run = &image.run;
  page.config = &plan.config;
  page.activity = &report.activity;
  const Json configuration = config_json(plan);
  for (const auto& [key, value] : configuration.items()) {
    if (!value.is_object()) {
      page.configuration.emplace_back(key,
                                      value.is_string() ? value.get<std::string>() : value.dump());
      continue;
    }
    for (const auto& [inner, entry] : value.items()) {
      page.configuration.emplace_back(key + "." + inner,
                                      entry.is_string() ? entry.get<std::string>() : entry.dump());
    }
  }
  return run_page_html(page);
}

std::string summary(const RunReport& report) {
  const RunPlan& plan = report.plan;
  const TcuSimulationConfig& config = plan.config;
  const ImageResult& image = report.images.front();
  const RunResult& run = image.run;
  const Cycle cycles = image_cycles(image);
  std::string text;
  const auto line = [&text](const char* name, const std::string& value) {
    text += fmt::format("{:<14}{}\n", name, value);
  };
  line(plan.model ? "model" : "program", subject(plan));
  line("machine", machine_line(config));
  if (!plan.board.name.empty()) line("board", plan.board_text());
  line("cycles", fmt::format("{} = {:.3f} ms at {:g} MHz{}", cycles, milliseconds(plan, cycles),
                             config.clock_mhz,
                             report.images.size() > 1
                                 ? fmt::format(" (first of {} images)", report.images.size())
                                 : ""));
  line("instructions",
       fmt::format("{} and {} NoOps of padding; last retired in cycle {}", run.instructions,
                   run.retired > run.instructions ? run.retired - run.instructions : 0,
                   last_retire(plan, run)));
  line("array", fmt::format("{} vectors multiplied, {} weight vectors loaded; {:.1f} % of peak",
                            run.array_runs, run.array_loads,
                            100 * array_utilisation(run.array_runs, cycles)));
  line("SIMD", fmt::format("{} operations", run.alu_operations));
  for (std::size_t i = 0; i < run.dais.size(); ++i) {
    line("DAIS block",
         fmt::format("{}: {} samples of {} instructions", config.architecture.dais_blocks[i].name,
                     run.dais[i].samples, run.dais[i].instructions));
  }
  for (unsigned p = 0; p < 2; ++p) {
    line(p == 0 ? "DRAM0" : "DRAM1",
         fmt::format(
             "{} beats read in {} bursts, {} written in {}{}", run.read_beats[p],
             run.read_bursts[p], run.write_beats[p], run.write_bursts[p],
             run.last_b[p] ? fmt::format("; last response in cycle {}", *run.last_b[p]) : ""));
  }
  text += accounting_lines(run.accounting, Shape(config));
  line("host", fmt::format("{:.2f} s, {:.2f} Mcycles/s", report.wall_seconds,
                           static_cast<double>(report.total_cycles) / report.wall_seconds / 1e6));
  return text;
}

std::string stuck_message(const RunPlan& plan, const RunResult& result) {
  std::string text = result.end == RunEnd::hang
                         ? fmt::format(
                               "the program hangs: nothing has moved for many cycles up to "
                               "cycle {}",
                               result.cycles)
                         : fmt::format("stopped at --max-cycles {}", plan.max_cycles.value_or(0));
  text += fmt::format("; {} of {} instructions retired",
                      std::min(result.retired, result.instructions), result.instructions);
  for (const std::string& unit : result.waits_for) text += "\n  " + unit;
  return text;
}

}  // namespace tactus
