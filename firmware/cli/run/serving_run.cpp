#include "firmware/cli/run/serving_run.h"

#include <chrono>
#include <cstdio>
#include <optional>
#include <utility>

#include <nlohmann/json.hpp>

#include <fmt/core.h>

#include "firmware/cli/commands.h"
#include "firmware/cli/run/interrupt.h"
#include "firmware/cli/run/run_report.h"
#include "firmware/cli/standard_output.h"
#include "firmware/cli/table.h"
#include "firmware/config/coverage.h"
#include "firmware/report/configuration_figures.h"
#include "firmware/report/tcu/run_figures.h"
#include "firmware/report/tcu/run_recorder.h"
#include "firmware/report/version.h"
#include "firmware/serving/serving_figures.h"
#include "firmware/serving/serving_page.h"
#include "firmware/serving/slowdowns.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/quantity.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

std::string units_text(const std::vector<unsigned>& units) {
  return fmt::format("{}", fmt::join(units, ","));
}

/// Everything of a run that serves, while it runs.
class ServingRunner {
 public:
  explicit ServingRunner(ServingRequest asked)
      : asked_(std::move(asked)),
        machines_(asked_.plan.units),
        recorder_(asked_, machines_, no_layers_, asked_.serving.models.front().model.path) {}

  int run() {
    print_placement();
    const auto start = std::chrono::steady_clock::now();
    std::optional<DeferSignals> defer(std::in_place);
    ServingWatch watch;
    watch.begin = [this](unsigned unit, const std::string& name, const auto& program) {
      recorder_.begin_image(name, program, unit);
    };
    watch.end = [this](unsigned unit, const Accounting& accounting) {
      recorder_.end_image(accounting, unit);
    };
    watch.ends = [] { return DeferSignals::received() != 0; };
    const auto stuck =
        serve(asked_.serving, asked_.plan, machines_, asked_.request, watch, result_);
    if (asked_.wants_slowdowns && !stuck && !result_.ended) {
      slowdowns_ = slowdowns(asked_.serving, asked_.plan, asked_.request, watch.ends);
      result_.ended = !slowdowns_;
    }
    seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    recorder_.finish();
    defer.reset();
    if (result_.ended) {
      fmt::print(stderr, "tactus: interrupted by a signal after {} requests; no figures\n",
                 result_.requests.size());
      die_of_deferred();
    }
    if (stuck) {
      fmt::print(stderr, "tactus: {}\n", stuck_message(asked_.request, *stuck));
      return exit_stuck;
    }
    write_files();
    print_figures();
    recorder_.throw_failures();
    return exit_ok;
  }

 private:
  template <typename... Values>
  void line(const char* name, fmt::format_string<Values...> format, Values&&... values) const {
    fmt::print(screen(asked_), "{:<14}{}\n", name,
               fmt::format(format, std::forward<Values>(values)...));
  }

  void print_placement() const {
    const TcuSimulationConfig& board = asked_.serving.models.front().config;
    line("machine", "{}{}",
         asked_.serving.units == 1 ? "" : "unit 0: ", machine_line(asked_.plan.units.front()));
    if (!asked_.board.empty()) line("board", "{}", asked_.board);
    line("accuracy", "{}", coverage_text(board, asked_.serving.units));
    for (const PlacedModel& placed : asked_.plan.placed) {
      line(fmt::format("unit {}", placed.unit).c_str(),
           "{}: banks of {} and {} bytes at 0x{:x} and 0x{:x}",
           asked_.serving.models[placed.model].name, placed.bytes[0], placed.bytes[1],
           placed.bases[0], placed.bases[1]);
    }
  }

  void print_figures() const {
    const ServingFigures figures = serving_figures(asked_.serving, asked_.plan, result_);
    const double clock_mhz = asked_.serving.clock_mhz();
    const bool has_one_clock = asked_.serving.has_one_clock();
    line("served", "{} in {}{:.6g} s", counted(result_.requests.size(), "request"),
         has_one_clock ? counted(result_.cycles, "cycle") + " = " : "", figures.seconds);
    fmt::print(screen(asked_), "\n{}\n{}\n", models_table(figures, clock_mhz),
               units_table(figures));
    if (!figures.models.front().waits_ns.empty() && figures.models.size() > 1) {
      fmt::print(screen(asked_), "{}\n", waits_table(figures));
    }
    if (slowdowns_) fmt::print(screen(asked_), "{}\n", slowdowns_table());
    // Units with clocks of their own have no common number of cycles.
    line("host", "{:.2f} s{}", seconds_,
         has_one_clock ? fmt::format(", {:.2f} Mcycles/s",
                                     static_cast<double>(result_.cycles) / seconds_ / 1e6)
                       : "");
    fmt::print(screen(asked_), "{}", recorder_.files_text());
  }

  [[nodiscard]] std::string models_table(const ServingFigures& figures, double clock_mhz) const {
    Table table;
    for (unsigned m = 0; m < figures.models.size(); ++m) {
      const ServedModel& model = asked_.serving.models[m];
      const ModelFigures& f = figures.models[m];
      const TimeRanks l = f.latency.value_or(TimeRanks());
      const auto ms = [&](const char* title, double cycles) {
        table.cell({title}, f.latency ? fmt::format("{:.3f}", cycles / clock_mhz / 1e3) : "");
      };
      table.begin_row();
      table.cell({"model", true}, model.name);
      table.cell({"units", true}, units_text(model.units));
      table.cell({"requests", true}, model.arrivals.text);
      table.cell({"arrived"}, std::to_string(f.arrived));
      table.cell({"done"}, std::to_string(f.done));
      table.cell({"dropped"}, std::to_string(f.dropped));
      table.cell({"waiting"}, std::to_string(f.waiting));
      table.cell({"frames/s"}, fmt::format("{:.2f}", f.frames_per_second));
      ms("shortest ms", static_cast<double>(l.min));
      ms("median", static_cast<double>(l.median));
      ms("95 %", static_cast<double>(l.p95));
      ms("99 %", static_cast<double>(l.p99));
      ms("max", static_cast<double>(l.max));
      ms("queued ms", f.latency ? f.queueing->mean : 0);
      table.cell({"slowdown"}, f.latency ? fmt::format("{:.4f}", f.slowdown) : "");
      table.cell({"bytes %"}, fmt::format("{:.1f}", 100 * f.share_of_bytes));
    }
    return table.text();
  }

  [[nodiscard]] std::string units_table(const ServingFigures& figures) const {
    Table table({{"unit"}, {"MHz"}, {"done"}, {"busy %"}, {"beginning %"}, {"waits for others %"}});
    for (unsigned u = 0; u < figures.units.size(); ++u) {
      const UnitFigures& f = figures.units[u];
      table.row({std::to_string(u), fmt::format("{:g}", asked_.serving.clock_mhz_of(u)),
                 std::to_string(f.done), fmt::format("{:.2f}", 100 * f.busy),
                 fmt::format("{:.2f}", 100 * f.entering), fmt::format("{:.2f}", 100 * f.queued)});
    }
    return table.text();
  }

  [[nodiscard]] std::string waits_table(const ServingFigures& figures) const {
    const std::vector<ServedModel>& models = asked_.serving.models;
    Table table({{"accesses wait at the memory, us", true}});
    for (const ServedModel& model : models) table.columns.push_back({"for " + model.name});
    for (unsigned m = 0; m < models.size(); ++m) {
      table.row({models[m].name});
      for (const double ns : figures.models[m].waits_ns) {
        table.rows.back().push_back(fmt::format("{:.1f}", ns / 1e3));
      }
    }
    return table.text();
  }

  [[nodiscard]] std::string slowdowns_table() const {
    const std::vector<ServedModel>& models = asked_.serving.models;
    Table table({{"mean latency of", true}, {"alone ms"}});
    for (const ServedModel& model : models) table.columns.push_back({"beside " + model.name});
    const double clock_mhz = asked_.serving.clock_mhz();
    for (unsigned m = 0; m < models.size(); ++m) {
      const auto& alone = slowdowns_->alone[m];
      table.row(
          {models[m].name, alone ? fmt::format("{:.3f}", alone->latency / clock_mhz / 1e3) : ""});
      for (unsigned other = 0; other < models.size(); ++other) {
        const auto times = slowdowns_->of_latency(m, other);
        table.rows.back().push_back(times ? fmt::format("x {:.3f}", *times) : "");
      }
    }
    return table.text();
  }

  [[nodiscard]] Json statistics() const {
    const Serving& serving = asked_.serving;
    Json json;
    json["tool"] = "tactus";
    json["version"] = version;
    json["revision"] = git_revision;
    json["serving"] = serving_json(serving, asked_.plan, result_);
    if (slowdowns_) json["serving"]["slowdowns"] = to_json(*slowdowns_, serving);
    Json& config = json["config"];
    if (!asked_.board.empty()) config["board"] = asked_.board;
    config["tcus"] = serving.units;
    config["order"] = serving.order == ServingOrder::turns ? "turns" : "priority";
    config["queue"] = serving.most_waiting ? Json(*serving.most_waiting) : Json();
    config["duration_cycles"] = serving.end ? Json(*serving.end) : Json();
    config["images"] = serving.images ? Json(*serving.images) : Json();
    add_configuration_figures<BoardValues>(config, board_parameters(),
                                           serving.models.front().config, {});
    json["wall_seconds"] = seconds_;
    return json;
  }

  void write_files() {
    recorder_.write(nullptr);
    tell_notes(recorder_);
    if (asked_.stats) {
      recorder_.attempt(
          [&] { write_file_atomically(*asked_.stats, text_of_json(statistics(), 2) + "\n"); });
    }
    if (asked_.report) {
      const ServingPageLead lead{
          machine_line(asked_.plan.units.front()),
          coverage_text(asked_.serving.models.front().config, asked_.serving.units)};
      recorder_.attempt([&] {
        write_file_atomically(*asked_.report, serving_page_html(asked_.serving, asked_.plan,
                                                                result_, slowdowns_, lead));
      });
    }
    if (asked_.request_log) {
      recorder_.attempt([&] {
        write_file_atomically(*asked_.request_log, requests_csv(asked_.serving, result_));
      });
    }
  }

  const ServingRequest asked_;
  const std::vector<tcu::LayerEntry> no_layers_;
  TcuMachines machines_;
  TcuRunRecorder recorder_;
  ServingResult result_;
  std::optional<Slowdowns> slowdowns_;
  double seconds_ = 0;
};

}  // namespace

int serving_command(const Args& args) {
  ServingRequest asked = read_serving_request(args);
  keep_going_without_reader();
  return ServingRunner(std::move(asked)).run();
}

}  // namespace tactus
