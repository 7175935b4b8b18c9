#include "firmware/python/machine.h"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <pybind11/pybind11.h>
#include <nlohmann/json.hpp>

#include "firmware/config/coverage.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/energy/tcu.h"
#include "firmware/report/tcu/run_figures.h"
#include "isa/support/error.h"
#include "isa/support/text.h"

namespace tactus::python {
namespace {

using Json = nlohmann::ordered_json;

/// Machines whose Python object was deleted while the kernel was in use. They are destroyed when it
/// is free, since that needs the kernel.
std::vector<std::unique_ptr<TcuSimulation>>& left_over() {
  static std::vector<std::unique_ptr<TcuSimulation>> simulations;
  return simulations;
}

/// The kernel's present user; empty: it is free. It changes with Python's lock and this mutex held.
std::optional<KernelUser> kernel_user;
std::mutex kernel_mutex;
std::condition_variable kernel_freed;

void set_kernel_user(std::optional<KernelUser> user) {
  {
    const std::lock_guard lock(kernel_mutex);
    kernel_user = user;
  }
  if (!user) kernel_freed.notify_all();
}

Json configuration_json(const Run& run) {
  Json json;
  json[run.kind] = run.subject;
  if (run.configuration.board) json["board"] = run.configuration.board->name;
  add_tcu_configuration(json, run.configuration.config, Asker::python, run.request,
                        {"max_cycles", "tcus", "energy"});
  return json;
}

using Simulate = std::function<void(Run& run, TcuMachines& machines, TcuRunRecorder& recorder,
                                    TcuRunOptions& options)>;

/// Observes the machines as the request says while `simulate` runs programs or images on them, and
/// returns what was recorded.
std::unique_ptr<Run> watched_run(TcuMachines& machines, const Configuration& configuration,
                                 const Request& request, const std::string& subject,
                                 const std::vector<tcu::LayerEntry>& layers,
                                 const Simulate& simulate, const std::function<void()>& progress) {
  TcuSimulation& simulation = machines[0];
  auto run = std::make_unique<Run>();
  run->configuration = configuration;
  run->rates = simulation.machine().rates();
  run->request = request;
  run->meter = energy::meter_of(request.energy, configuration.config.architecture);
  TcuRunOptions options;
  apply(request, options);
  options.progress = [&](Cycle, std::uint64_t) { progress(); };
  TcuRunRecorder recorder(request, machines, layers, subject, run->observers(request, simulation));
  const auto start = std::chrono::steady_clock::now();
  simulate(*run, machines, recorder, options);
  run->wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run->total_cycles = simulation.now();
  run->finish(recorder);
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

void describe_model(Run& run, const CompiledModel& model, const compiler::PackedImages& images) {
  run.kind = "model";
  run.subject = model.model.file.name;
  run.tensors = model.tensors;
  run.carried = images.carried;
  run.batch = model.model.file.batch;
  run.layers = model.model.file.layers;
}

/// Returns a function that runs the images on the machine, or deals them out to the units.
Simulate images_of(const CompiledModel& model, const Configuration& configuration,
                   const compiler::PackedImages& images, const Request& request) {
  return [&](Run& run, TcuMachines&, TcuRunRecorder& recorder, TcuRunOptions& options) {
    options.regions = tcu::regions_of(model.model.file.layers);
    const ImagesToRun task{configuration.config, model.model, images.inputs, images.inputs.size()};
    const auto stuck = recorder.run_images(
        task, request, options, [] { return false; }, run);
    if (stuck) require_finished(*stuck, request);
    require_finished(run.images.back().run, request);
  };
}

/// Finds the vectors that the model's program reads before anything has written them.
void find_unwritten(Run& run, const CompiledModel& model, tcu::WrittenVectors& written) {
  const tcu::InstructionLayout layout(run.configuration.config.architecture);
  (void)written.run(constants_to_local(model.model, layout));
  run.set_unwritten(model.model.file.name, written.run(model.model.program));
}

}  // namespace

// ---- KernelUse ----------------------------------------------------------------------------------

KernelUse::KernelUse(KernelUser user) {
  while (kernel_user) {
    if (user == KernelUser::machine && kernel_user == KernelUser::machine) {
      user_error(
          "another machine of this process is running: SystemC has one kernel at work in a "
          "process. Machines may take turns; to run at the same time each needs a process of its "
          "own (multiprocessing, or tactus.sweep)");
    }
    {
      constexpr std::chrono::milliseconds between_signals(100);
      const pybind11::gil_scoped_release unlocked;
      std::unique_lock lock(kernel_mutex);
      kernel_freed.wait_for(lock, between_signals, [] { return !kernel_user; });
    }
    if (PyErr_CheckSignals() != 0) throw pybind11::error_already_set();
  }
  set_kernel_user(user);
}

KernelUse::~KernelUse() {
  left_over().clear();
  set_kernel_user(std::nullopt);
}

// ---- Run ----------------------------------------------------------------------------------------

RunDocument Run::document() const {
  RunDocument document =
      tcu_document(kind, subject, configuration.config, rates, *this, tcu::macs_of(layers));
  document.accuracy = coverage_text(configuration.config, tcus);
  document.board = board_text(configuration);
  document.configuration = configuration_json(*this);
  document.batch = batch;
  document.expected = expectations(layers);
  if (meter) energy::add_to(document, *meter, configuration.config);
  document.unwritten = unwritten;
  document.first_cycle = first_cycle;
  document.total_cycles = total_cycles;
  document.wall_seconds = wall_seconds;
  document.activity = activity ? &*activity : nullptr;
  return document;
}

// ---- SimulatedMachine ---------------------------------------------------------------------------

SimulatedMachine::SimulatedMachine(const KernelUse&, const Configuration& configuration)
    : configuration_(configuration), written_(configuration.config.architecture) {
  TcuUnits::check_ports(configuration_.config, 1);
  simulation_ = std::make_unique<TcuSimulation>(configuration_.config);
}

SimulatedMachine::~SimulatedMachine() {
  if (kernel_user) left_over().push_back(std::move(simulation_));
}

Cycle SimulatedMachine::now() const { return simulation_->now(); }

void SimulatedMachine::require_usable() const {
  if (interrupted_) {
    user_error("a run of this machine was interrupted; make another machine");
  }
}

std::unique_ptr<Run> SimulatedMachine::watched_run(const Request& request,
                                                   const std::string& subject,
                                                   const std::vector<tcu::LayerEntry>& layers,
                                                   const Simulate& simulate,
                                                   const std::function<void()>& progress) {
  require_usable();
  const auto begun = [&](Run& run, TcuMachines& machines, TcuRunRecorder& recorder,
                         TcuRunOptions& options) {
    interrupted_ = true;  // stays true if an exception ends the run
    try {
      simulate(run, machines, recorder, options);
      interrupted_ = false;
    } catch (const Stuck&) {
      interrupted_ = false;
      throw;
    }
  };
  TcuMachines machine(*simulation_);
  return python::watched_run(machine, configuration_, request, subject, layers, begun, progress);
}

std::unique_ptr<Run> SimulatedMachine::run(const KernelUse&, const CompiledModel& model,
                                           const compiler::PackedImages& images,
                                           const Request& request,
                                           const std::function<void()>& progress) {
  check_architecture(model, configuration_);
  // The constructor throws if the model does not fit the machine.
  (void)Host(*simulation_, model.model, request.mode);
  auto run = watched_run(request, model.model.file.name, model.model.file.layers,
                         images_of(model, configuration_, images, request), progress);
  find_unwritten(*run, model, written_);
  describe_model(*run, model, images);
  return run;
}

std::unique_ptr<Run> run_on_units(const KernelUse&, const Configuration& configuration,
                                  const CompiledModel& model, const compiler::PackedImages& images,
                                  const Request& request, const std::function<void()>& progress) {
  check_architecture(model, configuration);
  TcuUnits::check_ports(configuration.config, request.tcus);
  TcuUnits::check_deal(configuration.config, request.tcus, images.inputs.size(), model.model);
  TcuMachines units(configuration.config, request, model.model.program.size());
  auto run =
      watched_run(units, configuration, request, model.model.file.name, model.model.file.layers,
                  images_of(model, configuration, images, request), progress);
  tcu::WrittenVectors written(configuration.config.architecture);
  find_unwritten(*run, model, written);
  describe_model(*run, model, images);
  return run;
}

std::unique_ptr<Run> SimulatedMachine::run_program(const KernelUse&,
                                                   const std::vector<std::uint8_t>& program,
                                                   const Request& request,
                                                   const std::function<void()>& progress) {
  check_program(configuration_.config.architecture, program, "the program", ProgramChecks::strict);
  auto run = watched_run(
      request, "program", {},
      [&](Run& made, TcuMachines&, TcuRunRecorder& recorder, TcuRunOptions& options) {
        options.retire_log = recorder.retires();
        recorder.begin_image("program", program);
        made.images.push_back({simulation_->run(program, options), std::nullopt, {}});
        recorder.end_image(made.images.back().run.accounting);
        require_finished(made.images.back().run, request);
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
