#include "firmware/cli/run/run_report.h"

#include <nlohmann/json.hpp>

#include <fmt/format.h>

#include "firmware/cli/run/run_config.h"
#include "firmware/cli/verbosity.h"
#include "firmware/config/coverage.h"
#include "firmware/energy/tcu.h"
#include "firmware/report/tcu/run_figures.h"
#include "isa/support/error.h"
#include "isa/support/json_text.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

Json config_json(const RunPlan& plan) {
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
  add_tcu_configuration(json, plan.config, Asker::command, plan, {"max_cycles", "regions"});
  return json;
}

}  // namespace

RunDocument run_document(const RunReport& report) {
  const RunPlan& plan = report.plan;
  std::optional<std::uint64_t> macs;
  if (plan.model) macs = macs_of(plan.model->file.layers);
  RunDocument document = tcu_document(plan.model ? "model" : "program",
                                      plan.model ? plan.model->file.name : plan.workload.program,
                                      plan.config, report.rates, report, macs);
  document.expected = expectations(plan.regions);
  document.accuracy = coverage_text(plan.config, report.tcus);
  if (!plan.board.name.empty()) document.board = plan.board_text();
  document.configuration = config_json(plan);
  document.rerun = json_of_text(run_config_json(plan));
  document.back_to_back = plan.host.packages.empty();
  if (plan.model && document.back_to_back) document.batch = plan.model->file.batch;
  if (plan.meter) energy::add_to(document, *plan.meter, plan.config);
  document.unwritten = plan.unwritten;
  document.first_cycle = report.recorder.first_cycle();
  document.total_cycles = report.total_cycles;
  document.wall_seconds = report.wall_seconds;
  const TcuSystem::Passed& passed = report.passed;
  document.engine = {{"evaluated_cycles", passed.evaluated},
                     {"skipped_cycles", passed.skipped},
                     {"taken_cycles", passed.taken},
                     {"visits_per_burst", nullptr}};
  if (passed.visits != 0 && report.bursts != 0) {
    document.engine["visits_per_burst"] =
        static_cast<double>(passed.visits) / static_cast<double>(report.bursts);
  }
  document.interrupted = report.interrupted;
  document.activity = &report.recorder.activity();
  return document;
}

std::string stuck_message(const RunRequest& request, const RunResult& result) {
  return stuck_text(result, fmt::format("--max-cycles {}", request.max_cycles.value_or(0)));
}

void tell_unwritten(const std::string& path, const UnwrittenReads& reads, bool strict) {
  if (reads.count == 0) return;
  if (strict) user_error("{}: {}; allowed with --strict: none", path, reads.text());
  warn("{}: {}", path, reads.text());
}

}  // namespace tactus
