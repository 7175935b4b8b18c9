#include "firmware/cli/run/dpas_run.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include <nlohmann/json.hpp>

#include <fmt/core.h>

#include "firmware/cli/parameter_options.h"
#include "firmware/cli/progress.h"
#include "firmware/cli/run/dpas_plan.h"
#include "firmware/cli/run/interrupt.h"
#include "firmware/cli/run/run_plan.h"
#include "firmware/cli/run/run_report.h"
#include "firmware/cli/standard_output.h"
#include "firmware/driver/common/stop_run.h"
#include "firmware/driver/dpas/simulation_parameters.h"
#include "firmware/driver/dpas/timeline_tracks.h"
#include "firmware/driver/tcu/run_request.h"
#include "firmware/energy/dpas.h"
#include "firmware/energy/report.h"
#include "firmware/report/dpas/run_figures.h"
#include "isa/dpas/profile_table.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/json_text.h"
#include "isa/support/nearest_name.h"
#include "isa/support/quantity.h"

namespace tactus {
namespace {

using Json = nlohmann::ordered_json;

Json configuration(const DpasPlan& plan) {
  Json json;
  json["program"] = plan.program_path;
  json["kernel"] = plan.kernel->name;
  for (const DpasBinding& binding : plan.bindings) {
    json["buffers"][binding.name] = {{"file", binding.path.empty() ? Json() : Json(binding.path)},
                                     {"bytes", binding.size}};
  }
  for (const DpasValue& value : plan.values) json["values"][value.name] = value.values;
  json["machine"] = plan.machine;
  if (plan.meter) json["energy"] = plan.meter->table().name;
  dpas_machine_parameters().write(json["parameters"], plan.config.machine);
  json["profile"]["name"] = plan.config.machine.profile.name;
  json["profile"]["title"] = plan.config.machine.profile.title;
  dpas::profile_parameters().write(json["profile"], plan.config.machine.profile);
  if (!plan.board.empty()) json["board"]["name"] = plan.board;
  const BoardValues& board = plan.config;
  board_parameters().write(json["board"], board);
  return json;
}

/// A run: the machine, its recorder, and the results.
class DpasRunner {
 public:
  explicit DpasRunner(const DpasPlan& plan)
      : plan_(plan),
        simulation_(plan.config),
        recorder_(
            plan, simulation_,
            [this] { return std::make_unique<DpasTimelineTracks>(simulation_, *plan_.kernel); },
            plan.program_path) {}

  int run() {
    const std::vector<DpasThread> threads = bind();
    std::optional<DeferSignals> defer(std::in_place);
    const auto start = std::chrono::steady_clock::now();
    simulate(threads);
    wall_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    recorder_.finish();
    defer.reset();
    const RunDocument document = this->document();
    recorder_.write(&document);
    tell_notes(recorder_);
    save_buffers();
    fmt::print(screen(plan_), "{}{}", summary_text(document), recorder_.files_text());
    const bool stuck = result_.end != RunEnd::finished;
    if (interrupted_) {
      fmt::print(stderr, "tactus: interrupted by a signal after {} cycles\n", simulation_.now());
    } else if (stuck) {
      fmt::print(stderr, "tactus: {}\n", stuck_message(plan_, result_));
    }
    recorder_.throw_failures();
    die_of_deferred();
    return stuck ? exit_stuck : exit_ok;
  }

 private:
  /// Writes buffers to memory and returns each thread's initial inputs.
  std::vector<DpasThread> bind() {
    std::vector<DpasThread> threads(plan_.config.machine.threads);
    for (DpasThread& thread : threads) thread.kernel = plan_.kernel;
    const auto set = [&](unsigned t, const std::string& name, std::uint64_t value) {
      for (const dpas::Input& input : plan_.kernel->inputs) {
        if (plan_.kernel->variable(input.variable)->name != name) continue;
        threads[t].set(name, value, input.size);
      }
    };
    for (const DpasBinding& binding : plan_.bindings) {
      addresses_.push_back(simulation_.allocate(binding.name, binding.size));
      if (!binding.bytes.empty()) simulation_.write(addresses_.back(), binding.bytes);
      for (unsigned t = 0; t < threads.size(); ++t) set(t, binding.name, addresses_.back());
    }
    for (const DpasValue& value : plan_.values) {
      for (unsigned t = 0; t < threads.size(); ++t) {
        const std::int64_t number = value.values.size() == 1 ? value.values[0] : value.values[t];
        set(t, value.name, static_cast<std::uint64_t>(number));
      }
    }
    return threads;
  }

  void simulate(const std::vector<DpasThread>& threads) {
    Progress progress(plan_.kernel->instructions.size() * threads.size());
    RunOptions options;
    apply(plan_, options);
    options.retire_log = recorder_.retires();
    options.progress = [&](Cycle, std::uint64_t instructions) {
      interrupted_ = DeferSignals::received() != 0;
      if (interrupted_) throw StopRun{};
      progress.update(simulation_.now(), instructions);
    };
    recorder_.begin_image("program", {});
    result_ = simulation_.run(plan_.program, threads, options);
    recorder_.end_image(result_.accounting);
  }

  [[nodiscard]] RunDocument document() {
    RunDocument document =
        dpas_document(plan_.program_path, plan_.board, plan_.config, simulation_.machine().rates());
    document.configuration = configuration(plan_);
    document.unwritten = plan_.unwritten;
    ReportedRun run = dpas_reported_run(result_);
    if (plan_.meter) {
      energy::add_to(document, run,
                     energy::energy_of(*plan_.meter, result_, plan_.config, document.rates));
    }
    document.images.push_back(std::move(run));
    document.total_cycles = simulation_.now();
    document.wall_seconds = wall_seconds_;
    document.interrupted = interrupted_;
    document.activity = &recorder_.activity();
    return document;
  }

  void save_buffers() {
    for (std::size_t i = 0; i < plan_.bindings.size(); ++i) {
      const DpasBinding& binding = plan_.bindings[i];
      if (binding.save.empty()) continue;
      recorder_.attempt([&] {
        write_file_atomically(binding.save, simulation_.read(addresses_[i], binding.size));
        fmt::print(screen(plan_), "{:<14}{} in {}\n", "buffer", binding.name, binding.save);
      });
    }
  }

  const DpasPlan& plan_;
  DpasSimulation simulation_;
  RunRecorder recorder_;
  DpasRunResult result_;
  std::vector<std::uint64_t> addresses_;  ///< address of each binding
  double wall_seconds_ = 0;
  bool interrupted_ = false;  ///< a signal has ended the run
};

}  // namespace

std::optional<std::string> other_machine(const Words& words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    std::optional<std::string> name;
    if (words[i] == "--machine" && i + 1 < words.size()) name = words[i + 1];
    if (words[i].rfind("--machine=", 0) == 0) name = words[i].substr(10);
    if (name) return *name == "tcu" ? std::nullopt : name;
  }
  return std::nullopt;
}

namespace {

/// Refuses options of TCU runs that have no meaning on machines with a DPAS array.
void refuse_options_of_tcus(const Words& words) {
  for (const std::string& word : words) {
    const std::string name = word.substr(0, word.find('='));
    if (name == "--config") {
      user_error(
          "tactus run: --config is for TCU runs; of a machine with a DPAS array a file is the "
          "profile, for --machine, and all else are options");
    }
    if (name == "--regions" || name == "--layers" || name == "--layers-csv") {
      user_error(
          "tactus run: {} is for TCU programs, whose instructions run once each and in order; "
          "kernels have loops and several threads",
          name);
    }
  }
}

}  // namespace

int dpas_run_command(const Words& words, const std::string& machine) {
  refuse_options_of_tcus(words);
  Args args("run", "Runs a kernel on a machine with a DPAS array, cycle by cycle, with its data.",
            dpas_run_options());
  args.explain_unknown([&](std::string name) -> std::string {
    if (name == "output") return "is for TCU runs; --save NAME=F writes a kernel's buffer";
    const std::vector<Args::Option> options = dpas_run_options(), of_tcus = run_options();
    const bool known = std::any_of(of_tcus.begin(), of_tcus.end(),
                                   [&](const Args::Option& option) { return option.name == name; });
    std::vector<std::string_view> names;
    for (const Args::Option& option : options) names.emplace_back(option.name);
    const std::string near = nearest_name(name, names);
    std::replace(name.begin(), name.end(), '-', '_');
    const std::string why = why_not_for(Asker::kernels, name);
    if (!why.empty()) return why;
    if (known) return "is for TCU runs, not for a machine with a DPAS array";
    return fmt::format("is an unknown option{}; see tactus run --machine {} --help", near, machine);
  });
  if (!args.parse(words)) return exit_ok;
  if (args.has("trace-list")) {
    const DpasSimulation simulation(plan_dpas_machine(args, machine));
    fmt::print("{}", signal_list(simulation, read_run_outputs(args, dpas_machine_info()).trace));
    return exit_ok;
  }
  const DpasPlan plan = plan_dpas_run(args, machine);
  if (args.has("print-config")) {
    fmt::print("{}\n", text_of_json(configuration(plan), 2));
    return exit_ok;
  }
  keep_going_without_reader();
  return DpasRunner(plan).run();
}

}  // namespace tactus
