#include "firmware/python/kernel.h"

#include <algorithm>
#include <chrono>

#include <nlohmann/json.hpp>

#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/config/memory_choice.h"
#include "firmware/config/port_memory.h"
#include "firmware/driver/dpas/simulation_parameters.h"
#include "firmware/driver/dpas/timeline_tracks.h"
#include "firmware/energy/dpas.h"
#include "firmware/energy/report.h"
#include "firmware/report/dpas/run_figures.h"
#include "isa/dpas/assembly.h"
#include "isa/dpas/container.h"
#include "isa/dpas/legality.h"
#include "isa/dpas/profile_table.h"
#include "isa/dpas/unwritten.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/json.h"
#include "isa/support/json_text.h"
#include "isa/support/text.h"

namespace tactus::python {
namespace {

using Json = nlohmann::ordered_json;

/// Name with which errors begin.
const std::string function = "tactus.run_kernel";

DpasSimulationConfig config_of(const KernelRequest& request) {
  DpasSimulationConfig config;
  config.machine.profile = dpas::read_profile(config_path("dpas", request.machine));
  if (!request.board.empty()) static_cast<BoardValues&>(config) = read_board(request.board);
  const Json values = json_of_text(request.values);
  JsonDocument document(request.values, function);
  ObjectReader root = document.root();
  board_parameters().read(root, static_cast<BoardValues&>(config), MissingKeys::allowed);
  dpas_machine_parameters().read(root, config.machine, MissingKeys::allowed);
  dpas_profile_overrides().read(root, config.machine, MissingKeys::allowed);
  root.finish();
  document.problems().throw_if_any();
  dpas::check_profile(config.machine.profile, function);
  choose_memory(config, function + ": ", [&](const Parameter<BoardValues>& parameter) {
    return values.contains(parameter.key) ? parameter.key : std::string();
  });
  if (config.machine.memory == dpas::MemoryKind::ideal) {
    for (const auto& parameter : board_parameters()) {
      if (parameter.key == "clock_mhz" || !values.contains(parameter.key)) continue;
      user_error("{}: {} is for the AXI port, and the memory is ideal", function, parameter.key);
    }
  } else {
    config.resolved_ddr = resolve_port_memory(config);
  }
  return config;
}

dpas::Program program_of(const KernelRequest& request, const dpas::Profile& profile) {
  dpas::Program program;
  if (request.program.find('\n') != std::string::npos) {
    program = dpas::assemble(request.program, "the program");
  } else {
    const auto bytes = read_file(request.program);
    program = dpas::is_container(bytes)
                  ? dpas::read_container(bytes, request.program, false)
                  : dpas::assemble({reinterpret_cast<const char*>(bytes.data()), bytes.size()},
                                   request.program);
  }
  dpas::resolve(program, profile, {});
  return program;
}

const dpas::Kernel& kernel_of(const dpas::Program& program, const std::string& name) {
  std::vector<std::string_view> names;
  for (const dpas::Kernel& kernel : program.kernels) {
    if (kernel.name == name) return kernel;
    names.push_back(kernel.name);
  }
  if (name.empty() && names.size() == 1) return program.kernels.front();
  user_error("{}: kernel {} is not allowed; allowed {}", function, quote(name), quote_list(names));
}

/// Sets an input of the kernel in all threads, to one value or to one for each thread.
void set(std::vector<DpasThread>& threads, const dpas::Kernel& kernel, const std::string& name,
         const std::vector<std::int64_t>& values) {
  std::vector<std::string_view> names;
  for (const dpas::Input& input : kernel.inputs) {
    names.push_back(kernel.variable(input.variable)->name);
    if (names.back() != name) continue;
    if (values.size() != 1 && values.size() != threads.size()) {
      user_error("{}: input {}: {} numbers for {} threads; allowed 1, or one for each", function,
                 quote(name), values.size(), threads.size());
    }
    for (std::size_t t = 0; t < threads.size(); ++t) {
      const std::int64_t value = values.size() == 1 ? values[0] : values[t];
      threads[t].set(name, static_cast<std::uint64_t>(value), input.size);
    }
    return;
  }
  user_error("{}: kernel {} has no input {}; allowed {}", function, quote(kernel.name), quote(name),
             names.empty() ? "none" : quote_list(names));
}

}  // namespace

RunDocument KernelRun::document() const {
  RunDocument document = dpas_document(subject, board, config, rates);
  document.configuration["machine"] = machine;
  dpas_machine_parameters().write(document.configuration["parameters"], config.machine);
  dpas::profile_parameters().write(document.configuration["profile"], config.machine.profile);
  board_parameters().write(document.configuration["board"],
                           static_cast<const BoardValues&>(config));
  ReportedRun run = dpas_reported_run(result);
  if (meter) {
    energy::add_to(document, run, energy::energy_of(*meter, result, config, rates));
  }
  document.images.push_back(std::move(run));
  document.unwritten = unwritten;
  document.total_cycles = total_cycles;
  document.wall_seconds = wall_seconds;
  document.activity = activity ? &*activity : nullptr;
  return document;
}

std::unique_ptr<KernelRun> run_kernel(const KernelUse&, const KernelRequest& request,
                                      const std::function<void()>& progress) {
  const DpasSimulationConfig config = config_of(request);
  const dpas::Program program = program_of(request, config.machine.profile);
  const dpas::Kernel& kernel = kernel_of(program, request.kernel);
  std::optional<energy::Meter> meter;
  if (!request.energy.empty()) {
    meter.emplace(energy::read_table(request.energy), energy::machine_of(config));
  }
  DpasSimulation simulation(config);
  std::vector<DpasThread> threads(config.machine.threads);
  for (DpasThread& thread : threads) thread.kernel = &kernel;
  std::vector<std::uint64_t> addresses;
  for (const auto& [name, bytes] : request.buffers) {
    addresses.push_back(simulation.allocate(name, bytes.size()));
    simulation.write(addresses.back(), bytes);
    set(threads, kernel, name, {static_cast<std::int64_t>(addresses.back())});
  }
  for (const auto& [name, values] : request.numbers) set(threads, kernel, name, values);

  auto run = std::make_unique<KernelRun>(DpasRunResult());
  RunRecorder recorder(
      request, simulation, [&] { return std::make_unique<DpasTimelineTracks>(simulation, kernel); },
      "kernel", run->observers(request, simulation));
  RunOptions options;
  apply(request, options);
  options.retire_log = recorder.retires();
  options.progress = [&](Cycle, std::uint64_t) { progress(); };
  const auto start = std::chrono::steady_clock::now();
  recorder.begin_image("program", {});
  run->result = simulation.run(program, threads, options);
  recorder.end_image(run->result.accounting);
  require_finished(run->result, request);
  run->wall_seconds =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  run->total_cycles = simulation.now();
  run->finish(recorder);
  run->set_unwritten(kernel.name, unwritten_reads(program, kernel, config.machine.profile));
  run->subject = kernel.name;
  run->machine = request.machine;
  run->board = request.board;
  run->config = config;
  run->rates = simulation.machine().rates();
  run->meter = std::move(meter);
  for (std::size_t i = 0; i < addresses.size(); ++i) {
    const auto& [name, bytes] = request.buffers[i];
    run->buffers.emplace_back(name, simulation.read(addresses[i], bytes.size()));
  }
  return run;
}

}  // namespace tactus::python
