#include "firmware/cli/run/run_report.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "firmware/cli/run/run_config.h"
#include "firmware/cli/run/run_parameters.h"
#include "firmware/cli/verbosity.h"
#include "firmware/config/coverage.h"
#include "firmware/driver/tcu/simulation_parameters.h"
#include "firmware/energy/report.h"
#include "firmware/energy/tcu.h"
#include "firmware/report/configuration_figures.h"
#include "firmware/report/tcu/run_figures.h"
#include "firmware/report/version.h"
#include "isa/support/error.h"
#include "isa/support/json_text.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

/// Cycle of the last retire. As in golden figures, a model's padding counts, that of a bare program
/// does not.
Cycle last_retire(const RunPlan& plan, const TcuRunResult& run) {
  return plan.model ? run.last_retire_padded : run.last_retire;
}

/// Cycles of an image. In driver mode an image ends when its probe has arrived.
Cycle image_cycles(const ImageResult& image) { return image.probe.value_or(image.run.cycles); }

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
  json["architecture"] = json_of_text(tcu::to_json(config.architecture, -1));
  add_configuration_figures<RunChoices>(json, run_parameters(), plan, {"max_cycles", "regions"});
  add_configuration_figures<BoardValues>(json, board_parameters(), config, {"clock_mhz"});
  json["clock_mhz"] = config.clock_mhz;
  add_configuration_figures(json, simulation_parameters(), config, {});
  return json;
}

}  // namespace

RunDocument run_document(const RunReport& report) {
  const RunPlan& plan = report.plan;
  RunDocument document;
  document.expected = expectations(plan.regions);
  if (plan.model) document.macs = macs_of(plan.model->file.layers);
  document.version = version;
  document.revision = git_revision;
  document.kind = plan.model ? "model" : "program";
  document.subject = plan.model ? plan.model->file.name : plan.workload.program;
  document.machine = machine_line(plan.config);
  document.accuracy = coverage_text(plan.config, static_cast<unsigned>(plan.tcus));
  if (!plan.board.name.empty()) document.board = plan.board_text();
  document.clock_mhz = plan.config.clock_mhz;
  document.rates = report.rates;
  document.configuration = config_json(plan);
  document.rerun = json_of_text(run_config_json(plan));
  document.back_to_back = plan.host.packages.empty();
  document.host_us = plan.config.host_us;
  if (plan.model && document.back_to_back) document.batch = plan.model->file.batch;
  for (const ImageResult& image : report.images) {
    ReportedRun run;
    run.run = &image.run;
    run.cycles = image_cycles(image);
    run.last_retire = last_retire(plan, image.run);
    run.own = own_figures(image.run, plan.config.architecture, image.probe);
    run.lines = summary_lines(image.run, plan.config.architecture, run.cycles, run.last_retire,
                              document.macs);
    if (plan.meter) {
      energy::add_to(document, run,
                     energy::energy_of(*plan.meter, image.run, plan.config.architecture,
                                       plan.config, document.batch));
    }
    document.images.push_back(std::move(run));
  }
  document.units = static_cast<unsigned>(plan.tcus);
  document.alone = report.alone;
  if (report.shared_memory) document.shared_memory = to_json(*report.shared_memory);
  document.unwritten = plan.unwritten;
  document.first_cycle = report.first_cycle;
  document.total_cycles = report.total_cycles;
  document.wall_seconds = report.wall_seconds;
  document.interrupted = report.interrupted;
  document.activity = report.activity;
  return document;
}

std::string stuck_message(Cycle max_cycles, const RunResult& result) {
  std::string text = result.end == RunEnd::hang
                         ? fmt::format(
                               "the program hangs: there was no handshake for many cycles up to "
                               "cycle {}",
                               result.cycles)
                         : fmt::format("stopped at --max-cycles {}", max_cycles);
  text += fmt::format("; {} of {} instructions retired",
                      std::min(result.retired, result.instructions), result.instructions);
  for (const std::string& unit : result.waits_for) text += "\n  " + unit;
  return text;
}

void tell_unwritten(const std::string& path, const UnwrittenReads& reads, bool strict) {
  if (reads.count == 0) return;
  if (strict) user_error("{}: {}; allowed with --strict: none", path, reads.text());
  warn("{}: {}", path, reads.text());
}

}  // namespace tactus
