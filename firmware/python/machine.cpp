#include "firmware/python/machine.h"

#include <atomic>
#include <chrono>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "firmware/config/coverage.h"
#include "firmware/driver/common/memory_system.h"
#include "firmware/driver/tcu/simulation_parameters.h"
#include "firmware/driver/tcu/timeline_tracks.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/energy/report.h"
#include "firmware/energy/tcu.h"
#include "firmware/report/configuration_figures.h"
#include "firmware/report/tcu/run_figures.h"
#include "firmware/report/version.h"
#include "isa/support/error.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus::python {
namespace {

using Json = nlohmann::ordered_json;

/// Machines whose Python object was deleted while another one ran. Ending them needs the kernel,
/// too.
std::vector<std::unique_ptr<TcuSimulation>>& left_over() {
  static std::vector<std::unique_ptr<TcuSimulation>> simulations;
  return simulations;
}

std::atomic<bool> kernel_in_use{false};

Json configuration_json(const Run& run) {
  const TcuSimulationConfig& config = run.configuration.config;
  Json json;
  json[run.kind] = run.subject;
  if (run.configuration.board) json["board"] = run.configuration.board->name;
  json["architecture"] = json_of_text(tcu::to_json(config.architecture, -1));
  json["mode"] = run.mode == HostMode::plain ? "plain" : "driver";
  add_configuration_figures<BoardValues>(json, board_parameters(), config, {"clock_mhz"});
  json["clock_mhz"] = config.clock_mhz;
  add_configuration_figures(json, simulation_parameters(), config, {});
  return json;
}

using Simulate = std::function<void(Run& run, Watch& watch, TcuRunOptions& options)>;

/// Runs the requested programs or images on a machine and records them.
std::unique_ptr<Run> watched_run(TcuSimulation& simulation, const Configuration& configuration,
                                 const RunRequest& request, const std::string& subject,
                                 const Simulate& simulate, const std::function<void()>& progress) {
  auto run = std::make_unique<Run>();
  run->configuration = configuration;
  run->rates = simulation.machine().rates();
  run->mode = request.mode;
  if (!request.energy.empty()) {
    run->meter.emplace(energy::read_table(request.energy),
                       energy::machine_of(configuration.config.architecture));
  }
  TcuRunOptions options;
  options.max_cycles = request.max_cycles;
  options.progress = [&](Cycle, std::uint64_t) { progress(); };
  std::function<void(const trace::Scope&)> surroundings;
  if (MemorySystem* const memory = simulation.memory_system()) {
    surroundings = [memory](const trace::Scope& top) { memory->describe(top); };
  }
  Watch watch(
      simulation, request, *run, subject,
      [&] { return std::make_unique<TcuTimelineTracks>(simulation); }, std::move(surroundings));
  const auto start = std::chrono::steady_clock::now();
  simulate(*run, watch, options);
  run->wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run->total_cycles = simulation.now();
  watch.finish();
  return run;
}

void check_architecture(const CompiledModel& model, const Configuration& configuration) {
  const std::string differences =
      architecture_differences(model.model.file.arch, configuration.config.architecture);
  if (!differences.empty()) {
    user_error(
        "{}: the model was compiled for another architecture; (model, machine) differ in: {}",
        model.model.file.name, differences);
  }
}

void describe_model(Run& run, const CompiledModel& model) {
  run.kind = "model";
  run.subject = model.model.file.name;
  run.tensors = model.tensors;
  run.batch = model.model.file.batch;
  run.layers = model.model.file.layers;
}

/// Runs image `i`. Its result is appended to those in `made`, or replaces the one at its index.
void run_watched_image(Host& host, TcuSimulation& simulation, const CompiledModel& model,
                       const TensorData& image, std::size_t i, const TcuRunOptions& options,
                       Run& made, Watch& watch) {
  watch.begin_run(fmt::format("image {}", i), model.model.program);
  if (made.activity && i == 0) made.activity->start(simulation.now());
  if (made.images.size() <= i) made.images.resize(i + 1, ImageResult{TcuRunResult(), {}, {}});
  made.images[i] = host.run_image(image, options);
  if (made.activity) made.activity->stop();
  watch.end_run(made.images[i].run);
  require_finished(made.images[i].run, options.max_cycles);
}

}  // namespace

// ---- KernelUse ----------------------------------------------------------------------------------

KernelUse::KernelUse() {
  if (!kernel_in_use.exchange(true)) return;
  user_error(
      "another machine of this process is running: SystemC has one kernel at work in a process. "
      "Machines may take turns; to run at the same time each needs a process of its own "
      "(multiprocessing, or tactus.sweep)");
}

KernelUse::~KernelUse() {
  left_over().clear();
  kernel_in_use = false;
}

// ---- Run ----------------------------------------------------------------------------------------

RunDocument Run::document() const {
  const tcu::Architecture& architecture = configuration.config.architecture;
  RunDocument document;
  document.version = version;
  document.revision = git_revision;
  document.kind = kind;
  document.subject = subject;
  document.machine = machine_line(configuration.config);
  document.accuracy = coverage_text(configuration.config, tcus);
  document.board = board_text(configuration);
  document.clock_mhz = configuration.config.clock_mhz;
  document.rates = rates;
  document.configuration = configuration_json(*this);
  document.host_us = configuration.config.host_us;
  document.batch = batch;
  document.macs = tcu::macs_of(layers);
  document.expected = expectations(layers);
  for (const ImageResult& image : images) {
    ReportedRun reported;
    reported.run = &image.run;
    reported.cycles = image.probe.value_or(image.run.cycles);
    reported.last_retire = kind == "model" ? image.run.last_retire_padded : image.run.last_retire;
    reported.own = own_figures(image.run, architecture, image.probe);
    reported.lines = summary_lines(image.run, architecture, reported.cycles, reported.last_retire,
                                   document.macs);
    if (meter) {
      energy::add_to(
          document, reported,
          energy::energy_of(*meter, image.run, architecture, configuration.config, batch));
    }
    document.images.push_back(std::move(reported));
  }
  document.units = tcus;
  document.alone = alone;
  if (shared_memory) document.shared_memory = to_json(*shared_memory);
  document.unwritten = unwritten;
  document.total_cycles = total_cycles;
  document.wall_seconds = wall_seconds;
  document.activity = activity.get();
  return document;
}

// ---- SimulatedMachine ---------------------------------------------------------------------------

SimulatedMachine::SimulatedMachine(const KernelUse&, const Configuration& configuration)
    : configuration_(configuration), written_(configuration.config.architecture) {
  simulation_ = std::make_unique<TcuSimulation>(configuration_.config);
}

SimulatedMachine::~SimulatedMachine() {
  if (kernel_in_use.exchange(true)) {
    left_over().push_back(std::move(simulation_));
    return;
  }
  simulation_.reset();
  kernel_in_use = false;
}

Cycle SimulatedMachine::now() const { return simulation_->now(); }

void SimulatedMachine::require_usable() const {
  if (interrupted_) {
    user_error("a run of this machine was interrupted; make another machine");
  }
}

std::unique_ptr<Run> SimulatedMachine::watched_run(
    const RunRequest& request, const std::string& subject,
    const std::function<void(Run& run, Watch& watch, TcuRunOptions& options)>& simulate,
    const std::function<void()>& progress) {
  require_usable();
  const auto begun = [&](Run& run, Watch& watch, TcuRunOptions& options) {
    interrupted_ = true;  // unless the run finishes
    try {
      simulate(run, watch, options);
      interrupted_ = false;
    } catch (const Stuck&) {
      interrupted_ = false;
      throw;
    }
  };
  return python::watched_run(*simulation_, configuration_, request, subject, begun, progress);
}

std::unique_ptr<Run> SimulatedMachine::run(const KernelUse&, const CompiledModel& model,
                                           const std::vector<TensorData>& images,
                                           const RunRequest& request,
                                           const std::function<void()>& progress) {
  check_architecture(model, configuration_);
  Host host(*simulation_, model.model, request.mode);
  auto run = watched_run(
      request, model.model.file.name,
      [&](Run& made, Watch& watch, TcuRunOptions& options) {
        options.regions = tcu::regions_of(model.model.file.layers);
        watch.begin_run("preparation", {});
        if (const auto stuck = host.prepare()) require_finished(*stuck, request.max_cycles);
        for (std::size_t i = 0; i < images.size(); ++i) {
          run_watched_image(host, *simulation_, model, images[i], i, options, made, watch);
        }
      },
      progress);
  (void)written_.run(
      constants_to_local(model.model, tcu::InstructionLayout(configuration_.config.architecture)));
  run->set_unwritten(model.model.file.name, written_.run(model.model.program));
  describe_model(*run, model);
  return run;
}

std::unique_ptr<Run> run_on_units(const KernelUse& use, const Configuration& configuration,
                                  const CompiledModel& model, const std::vector<TensorData>& images,
                                  const RunRequest& request,
                                  const std::function<void()>& progress) {
  check_architecture(model, configuration);
  TcuUnits::check_deal(configuration.config, request.tcus, images.size(), model.model);
  RunRequest unwatched;
  unwatched.mode = request.mode;
  unwatched.max_cycles = request.max_cycles;
  const auto alone =
      SimulatedMachine(use, configuration).run(use, model, {images.front()}, unwatched, progress);
  TcuUnits units(configuration.config, static_cast<unsigned>(request.tcus),
                 model.model.program.size());
  auto run = watched_run(
      units[0], configuration, request, model.model.file.name,
      [&](Run& made, Watch& watch, TcuRunOptions& options) {
        options.regions = tcu::regions_of(model.model.file.layers);
        made.images.resize(images.size(), ImageResult{TcuRunResult(), {}, {}});
        const auto run_image = [&](unsigned unit, Host& host, std::size_t i) {
          if (unit == 0) {
            run_watched_image(host, units[0], model, images[i], i, options, made, watch);
          } else {
            made.images[i] = host.run_image(images[i], options);
            require_finished(made.images[i].run, request.max_cycles);
          }
          return true;
        };
        const auto stuck = units.deal(model.model, request.mode, images.size(), run_image);
        if (stuck) require_finished(*stuck, request.max_cycles);
      },
      progress);
  describe_model(*run, model);
  run->unwritten = alone->unwritten;
  run->note = alone->note;
  run->tcus = units.count();
  run->alone = alone->document().images.front().cycles;
  run->shared_memory = units.memory_figures();
  return run;
}

std::unique_ptr<Run> SimulatedMachine::run_program(const KernelUse&,
                                                   const std::vector<std::uint8_t>& program,
                                                   const RunRequest& request,
                                                   const std::function<void()>& progress) {
  check_program(configuration_.config.architecture, program, "the program", ProgramChecks::strict);
  auto run = watched_run(
      request, "program",
      [&](Run& made, Watch& watch, const TcuRunOptions& options) {
        watch.begin_run("program", program);
        if (made.activity) made.activity->start(simulation_->now());
        made.images.push_back({simulation_->run(program, options), std::nullopt, {}});
        watch.end_run(made.images.back().run);
        require_finished(made.images.back().run, request.max_cycles);
      },
      progress);
  run->set_unwritten("the program", written_.run(program));
  run->kind = "program";
  run->subject = "program";
  return run;
}

std::size_t SimulatedMachine::memory_named(const std::string& name) const {
  std::vector<std::string_view> names;
  for (const MemoryInfo& memory : simulation_->info().memories) {
    if (memory.name == name) return names.size();
    names.push_back(memory.name);
  }
  user_error("the machine has no memory {}; allowed {}", quote(name), quote_list(names));
}

void SimulatedMachine::check_range(std::size_t memory, const std::string& name, std::uint64_t first,
                                   std::uint64_t count) const {
  const std::uint64_t vectors =
      simulation_->memory_bytes(memory) / configuration_.config.architecture.vector_bytes();
  if (first <= vectors && count <= vectors - first) return;
  user_error("{}: vectors {}..{} are not all there; allowed 0..{}", name, first,
             first + std::max<std::uint64_t>(count, 1) - 1, vectors - 1);
}

std::vector<std::uint8_t> SimulatedMachine::read(const KernelUse&, const std::string& memory,
                                                 std::uint64_t first, std::uint64_t count) {
  const std::size_t number = memory_named(memory);
  check_range(number, memory, first, count);
  const std::uint64_t vector = configuration_.config.architecture.vector_bytes();
  return simulation_->read_memory(number, first * vector, count * vector);
}

void SimulatedMachine::write(const KernelUse&, const std::string& memory, std::uint64_t first,
                             const std::vector<std::uint8_t>& vectors) {
  const std::size_t number = memory_named(memory);
  if (number > 1) user_error("{} cannot be written by the host; allowed dram0, dram1", memory);
  const std::uint64_t vector = configuration_.config.architecture.vector_bytes();
  check_range(number, memory, first, vectors.size() / vector);
  simulation_->write_dram(static_cast<unsigned>(number), first * vector, vectors);
}

}  // namespace tactus::python
