// tactus run: one model or program on one machine.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <initializer_list>
#include <map>
#include <memory>
#include <utility>

#include <fmt/core.h>

#include "firmware/cli/commands.h"
#include "firmware/cli/progress.h"
#include "firmware/cli/run/dpas_run.h"
#include "firmware/cli/run/interrupt.h"
#include "firmware/cli/run/layer_windows.h"
#include "firmware/cli/run/package_run.h"
#include "firmware/cli/run/run_config.h"
#include "firmware/cli/run/run_plan.h"
#include "firmware/cli/run/run_report.h"
#include "firmware/cli/run/serving_run.h"
#include "firmware/cli/standard_output.h"
#include "firmware/cli/verbosity.h"
#include "firmware/compiler/images.h"
#include "firmware/driver/common/stop_run.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/onnx/tensor_files.h"
#include "firmware/report/tcu/run_recorder.h"
#include "isa/support/error.h"
#include "isa/support/file_guard.h"
#include "isa/support/files.h"
#include "isa/support/names.h"
#include "isa/support/output_file.h"
#include "isa/support/quantity.h"
#include "isa/support/text.h"
#include "isa/tcu/vectors_file.h"

namespace tactus {
namespace {

/// Everything `tactus run` holds while it runs.
class Runner {
 public:
  explicit Runner(RunPlan plan)
      : plan_(std::move(plan)),
        machines_(plan_.config, plan_, plan_.model ? plan_.model->program.size() : 0),
        simulation_(machines_[0]),
        recorder_(plan_, machines_, plan_.regions,
                  plan_.model ? plan_.model->path : plan_.workload.program),
        report_{{}, plan_, recorder_, 0, 0, simulation_.machine().rates(), false, {}, 0} {
    if (!plan_.host.packages.empty()) packages_.emplace(plan_, simulation_);
  }

  ~Runner() {
    std::error_code ignored;
    if (made_output_) std::filesystem::remove(*plan_.output, ignored);  // only if it is empty
  }

  int run() {
    prepare_files();
    const auto start = std::chrono::steady_clock::now();
    std::optional<DeferSignals> defer(std::in_place);
    std::optional<TcuRunResult> stuck = simulate();
    report_.wall_seconds =
        std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    report_.total_cycles = simulation_.now();
    report_.passed = simulation_.system().passed();
    for (const unsigned p : {0U, 1U}) {
      const BoundarySplitter::Stats& stats = simulation_.system().port(p).splitter().stats();
      report_.bursts += stats.read_bursts + stats.write_bursts;
    }
    recorder_.finish();
    defer.reset();  // from here on, another signal ends the program at once
    if (!stuck && !report_.interrupted && !report_.images.empty() &&
        report_.images.back().run.end != RunEnd::finished) {
      stuck = report_.images.back().run;
    }
    // Requests of an interrupted run cannot be simulated on the link.
    const bool usable = !stuck && !(packages_ && report_.interrupted);
    if (packages_ && usable) packages_->run_link();
    if (usable) finish_on_host();
    // A file that cannot be written does not prevent the others.
    write_files(usable);
    print_summary();
    print_host_work();
    if (usable) print_outputs();
    if (stuck) fmt::print(stderr, "tactus: {}\n", stuck_message(plan_, *stuck));
    if (report_.interrupted) {
      fmt::print(stderr, "tactus: interrupted by a signal after {} cycles\n", simulation_.now());
    }
    recorder_.throw_failures();
    die_of_deferred();
    return stuck ? exit_stuck : exit_ok;
  }

 private:
  /// Opens or checks all output files, so that a wrong path is found before the simulation.
  void prepare_files() {
    if (plan_.output) {
      std::error_code error;
      made_output_ = std::filesystem::create_directories(*plan_.output, error);
      if (error) user_error("{}: cannot be made: {}", *plan_.output, error.message());
      for (const Dump& dump : plan_.program_outputs) claim_output(dump.path);
      if (plan_.model) {
        for (std::size_t p = 0; p < turns(); ++p) claim_outputs_of(p);
      }
    }
  }

  /// Names and claims the output files of a package or of the model.
  void claim_outputs_of(std::size_t package) {
    const Model& model =
        plan_.host.packages.empty() ? *plan_.model : plan_.host.packages[package].model;
    std::vector<std::string> of_program, of_model;
    for (const Tensor& tensor : tensors(model.file.outputs)) of_program.push_back(tensor.name);
    if (plan_.tensors) of_model = plan_.tensors->model_outputs;
    std::vector<std::string> all = of_program;
    for (const std::string& name : of_model) {
      if (std::find(all.begin(), all.end(), name) == all.end()) all.push_back(name);
    }
    output_files_.push_back(file_names(all));
    const auto claim = [&](const std::string& name, std::initializer_list<const char*> extensions) {
      for (const char* extension : extensions) claim_output(output_base(name, package) + extension);
    };
    for (const std::string& name : of_program) claim(name, {".csv", ".bin"});
    for (const std::string& name : of_model) claim(name, {".npy", ".pb"});
    for (const auto& [name, file] : output_files_.back()) {
      if (name != file)
        note("output {}: its files are named {}: {}", quote(name), file, file_name_rule);
    }
  }

  /// Computes the model's outputs of all images from those of the program. This time is the host's,
  /// not the machine's.
  void finish_on_host() {
    if (!plan_.tensors) return;
    const auto start = std::chrono::steady_clock::now();
    for (std::size_t i = 0; i < images_with_outputs(); ++i) {
      model_outputs_.push_back(compiler::model_outputs(
          *plan_.tensors, plan_.config.architecture, report_.images[i].outputs, plan_.carried[i]));
    }
    host_seconds_ = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  }

  void add_host_work(RunDocument& document) const {
    const auto nodes = [](const auto& graph) { return graph == nullptr ? 0 : graph->nodes.size(); };
    const RunDocument::HostWork work{nodes(plan_.tensors->host_before), nodes(plan_.tensors->host),
                                     plan_.host_before_seconds, host_seconds_};
    if (work.nodes_before + work.nodes_behind > 0) document.host_work = work;
  }

  void print_host_work() const {
    if (!plan_.tensors || plan_.tensors->host == nullptr || model_outputs_.empty()) return;
    std::vector<std::string_view> operators;
    for (const nn::Node& node : plan_.tensors->host->nodes) {
      if (std::find(operators.begin(), operators.end(), node.op_type) == operators.end()) {
        operators.emplace_back(node.op_type);
      }
    }
    fmt::print(screen(plan_),
               "{:<14}{} ({}) an image on this computer, {} in all; no part of the cycles\n",
               "host work", counted(plan_.tensors->host->nodes.size(), "node"),
               fmt::join(operators, ", "), time_text(1e3 * host_seconds_));
  }

  /// Returns true if a signal has arrived, so that the run ends here.
  bool interrupt() {
    if (DeferSignals::received() != 0) report_.interrupted = true;
    return report_.interrupted;
  }

  void print_summary() const {
    if (!report_.images.empty()) {
      fmt::print(screen(plan_), "{}{}", summary_text(*document_),
                 plan_.layers ? layers_text(*document_) : "");
    }
    fmt::print(screen(plan_), "{}", recorder_.files_text());
  }

  std::optional<TcuRunResult> simulate() {
    Progress progress((plan_.model ? plan_.model->program.size() : plan_.program.size()) /
                      simulation_.instruction_bytes() *
                      (plan_.host.packages.empty() ? plan_.run_count() : plan_.host.requests));
    const bool several = machines_.count() > 1;
    TcuRunOptions options;
    apply(plan_, options);
    options.regions = regions_of(plan_.regions);
    options.progress = [&](Cycle, std::uint64_t instructions) {
      if (interrupt()) throw StopRun{};
      if (!several) progress.update(simulation_.now(), report_.retired + instructions);
    };
    if (plan_.model && !packages_) {
      const ImagesToRun task{plan_.config, *plan_.model, plan_.images, plan_.run_count()};
      return recorder_.run_images(
          task, plan_, options, [this] { return interrupt(); }, report_);
    }
    options.retire_log = recorder_.retires();
    if (packages_) return simulate_packages(options);
    for (unsigned p = 0; p < 2; ++p) {
      if (!plan_.dram[p].empty()) simulation_.write_dram(p, 0, plan_.dram[p]);
    }
    recorder_.begin_image("program", plan_.program);
    end_image({simulation_.run(plan_.program, options), std::nullopt, {}});
    return std::nullopt;
  }

  std::optional<TcuRunResult> simulate_packages(const TcuRunOptions& options) {
    try {
      return packages_->run_programs(
          options,
          [&](const std::string& name) {
            if (!report_.images.empty() && interrupt()) throw StopRun{};
            recorder_.begin_image(name, packages_->package(report_.images.size()).model.program);
          },
          [&](ImageResult image) { end_image(std::move(image)); });
    } catch (const StopRun&) {
      return std::nullopt;  // interrupted between two requests
    }
  }

  void end_image(ImageResult image) {
    report_.retired += image.run.retired;
    report_.images.push_back(std::move(image));
    recorder_.end_image(report_.images.back().run.accounting);
  }

  void write_files(bool usable) {
    if (!report_.images.empty()) document_ = run_document(report_);
    if (document_ && !model_outputs_.empty()) add_host_work(*document_);
    if (packages_ && usable && document_) packages_->describe(*document_);
    recorder_.write(document_ ? &*document_ : nullptr);
    tell_notes(recorder_);
    if (const auto& path = plan_.host.link_timeline; path && usable) {
      recorder_.attempt([&] { packages_->write_timeline(*path); });
    }
    if (plan_.output && usable) recorder_.attempt([&] { write_outputs(); });
  }

  /// Number of images whose outputs are kept; outputs of repeated images are not.
  [[nodiscard]] std::size_t images_with_outputs() const {
    if (!plan_.host.packages.empty()) return report_.images.size();
    if (report_.images.empty()) return 0;  // interrupted before one of several units had finished
    const bool cut = report_.images.back().run.end != RunEnd::finished;
    return std::min(report_.images.size() - (cut ? 1 : 0), plan_.images.size());
  }

  /// Number of packages that take turns; 1 without packages.
  [[nodiscard]] std::size_t turns() const {
    return std::max<std::size_t>(1, plan_.host.packages.size());
  }

  /// Returns all images of one output of a package, one after the other.
  [[nodiscard]] std::vector<std::uint8_t> output(const std::string& name, std::size_t first) const {
    std::vector<std::uint8_t> data;
    for (std::size_t i = first; i < images_with_outputs(); i += turns()) {
      const auto& one = report_.images[i].outputs.at(name);
      data.insert(data.end(), one.begin(), one.end());
    }
    return data;
  }

  /// Path of an output's files without extensions; it includes the package's number if there are
  /// several.
  [[nodiscard]] std::string output_base(const std::string& name, std::size_t package) const {
    const std::string number = turns() > 1 ? std::to_string(package + 1) + "." : "";
    return *plan_.output + "/" + number + output_files_[package].at(name);
  }

  void write_outputs() {
    if (!plan_.model) return write_program_outputs();
    for (std::size_t p = 0; p < std::min(turns(), images_with_outputs()); ++p) {
      for (const auto& [name, first] : report_.images[p].outputs) {
        const std::string base = output_base(name, p);
        const std::vector<std::uint8_t> data = output(name, p);
        tcu::write_vectors_csv(base + ".csv", data, plan_.config.architecture);
        tcu::write_vectors_raw(base + ".bin", data, plan_.config.architecture);
        fmt::print(screen(plan_), "{:<14}{} in {}.csv and .bin\n", "output", name, base);
      }
    }
    if (model_outputs_.empty()) return;
    for (const std::string& name : plan_.tensors->model_outputs) {
      const std::string base = output_base(name, 0);
      const nn::Tensor tensor = compiler::join_images(model_outputs_, name);
      for (const char* extension : {".npy", ".pb"})
        nn::write_tensor(base + extension, name, tensor);
      fmt::print(screen(plan_), "{:<14}{} {} in {}.npy and .pb\n", "output", name,
                 nn::to_string(tensor.shape), base);
    }
  }

  /// Writes the outputs of a bare program: the vectors that it has written to DRAM.
  void write_program_outputs() {
    if (plan_.program_outputs.empty()) {
      fmt::print(screen(plan_), "{:<14}none: the program writes nothing to DRAM\n", "output");
    }
    for (const Dump& dump : plan_.program_outputs) {
      recorder_.write_dump(dump);
      fmt::print(screen(plan_), "{:<14}{}[{}:{}] in {}\n", "output",
                 simulation_.info().memories[dump.memory].name, dump.first,
                 dump.first + *dump.count, dump.path);
    }
  }

  void print_model_outputs(std::size_t most) const {
    for (std::size_t i = 0; i < model_outputs_.size(); ++i) {
      for (const std::string& name : plan_.tensors->model_outputs) {
        const nn::Tensor& tensor = model_outputs_[i].at(name);
        const auto count = static_cast<std::size_t>(tensor.size());
        fmt::print(screen(plan_), "{:<14}{} image {}:", "output", name, i);
        for (std::size_t k = 0; k < std::min(count, most); ++k) {
          const bool real = tensor.type == nn::ElementType::float32;
          fmt::print(screen(plan_), " {:g}",
                     real ? double{tensor.floats[k]} : static_cast<double>(tensor.integers[k]));
        }
        fmt::print(screen(plan_), "{}\n",
                   count > most ? fmt::format(" ... ({} scalars)", count) : "");
      }
    }
  }

  /// Prints outputs: the model's values if their layout is known, else all lanes, padding included.
  void print_outputs() const {
    if (plan_.output || !plan_.model) return;
    constexpr std::size_t most = 16;
    if (!model_outputs_.empty()) {
      print_model_outputs(most);
      return;
    }
    const tcu::Architecture& architecture = plan_.config.architecture;
    const unsigned scalar = info(architecture.data_type).storage_bytes;
    std::vector<std::uint8_t> lanes;
    for (std::size_t i = 0; i < images_with_outputs(); ++i) {
      for (const auto& [name, data] : report_.images[i].outputs) {
        const std::size_t count = data.size() / scalar;
        lanes.resize(data.size());
        tcu::vector_kernels(architecture.data_type).from_bytes(data.data(), lanes.data(), count);
        fmt::print(screen(plan_), "{:<14}{} image {}:", "output", name, i);
        for (std::size_t k = 0; k < std::min(count, most); ++k) {
          fmt::print(
              screen(plan_), " {:g}",
              to_real(architecture.data_type, tcu::lane(architecture.data_type, lanes.data(), k)));
        }
        fmt::print(screen(plan_), "{}\n",
                   count > most ? fmt::format(" ... ({} lanes)", count) : "");
      }
    }
  }

  RunPlan plan_;
  TcuMachines machines_;       ///< of --tcus
  TcuSimulation& simulation_;  ///< the only one, or the first: the one that is observed
  TcuRunRecorder recorder_;
  RunReport report_;
  std::optional<RunDocument> document_;  ///< set when everything has run
  std::optional<PackageRun> packages_;   ///< packages over a host link, if these are run
  /// Output files by package, see file_names().
  std::vector<std::map<std::string, std::string>> output_files_;
  std::vector<nn::Values> model_outputs_;  ///< outputs of each image; empty: the layout is unknown
  double host_seconds_ = 0;
  bool made_output_ = false;  ///< the run has created the output folder
};

/// Prints the signals for --trace-list, which needs a machine but no program.
int list_command(const Args& args) {
  const RunPlan plan = plan_machine(args);
  TcuSimulation simulation(plan.config);
  LayerSignal layers(plan.regions, simulation);
  TraceOptions options = read_run_outputs(args, tcu_machine_info()).trace;
  layers.add_to(options);
  fmt::print("{}", signal_list(simulation, options));
  return exit_ok;
}

}  // namespace

int run_command(const Words& words) {
  if (const auto machine = other_machine(words)) return dpas_run_command(words, *machine);
  Args args(
      "run",
      "Runs a compiled model or a program on the cycle-exact machine, several models on units that "
      "share a board, or packages behind a host link.",
      run_options(), "[[NAME=]F.tmodel ... | M.dwn1 ...]");
  if (!args.parse(words)) return exit_ok;
  if (args.has("trace-list")) return list_command(args);
  if (is_served(args)) return serving_command(args);
  RunPlan plan = plan_run(args);
  if (args.has("print-config")) {
    fmt::print("{}", run_config_json(plan));
    return exit_ok;
  }
  keep_going_without_reader();
  use_layer_windows(plan);
  return Runner(std::move(plan)).run();
}

}  // namespace tactus
