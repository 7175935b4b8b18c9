#include "tests/trace/traced_run.h"

#include <algorithm>
#include <cstdlib>
#include <stdexcept>
#include <utility>

#include "firmware/replay/rig.h"
#include "models/sim/clock_driver.h"
#include "models/sim/kernel_scope.h"

namespace tactus {

TraceFolder::TraceFolder() {
  std::string name = (std::filesystem::temp_directory_path() / "tactus_trace_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder for the test");
  folder_ = name;
}

TraceFolder::~TraceFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

void EventsByCycle::lines(Cycle cycle, const std::vector<std::string>& lines) {
  std::vector<std::string>& sorted = cycles[cycle] = lines;
  std::sort(sorted.begin(), sorted.end());
}

std::map<Cycle, std::vector<std::string>> trace_log(const GoldenLog& log, const std::string& vcd) {
  const tcu::Architecture architecture;
  TcuEventFormat format;
  format.style = log.bare ? EventStyle::bare : EventStyle::axi;
  const KernelScope kernel;
  Clock clock;
  EventsByCycle events(tcu_event_format(format));
  clock.events = &events;
  const auto rig = make_rig(clock, log, architecture, Engine::fast, std::nullopt);

  trace::Registry registry(std::make_shared<TcuWidths>(architecture, 64));
  rig->describe(trace::Scope(registry, "top"));
  const trace::Plan plan = make_plan(registry, {});
  trace::VcdWriter writer(vcd, plan, {"test", "", test_period_ps * 1000});
  trace::Tracer tracer(plan, {}, writer);
  clock.watcher = &tracer;
  ClockDriver driver("clock", clock, clock_period(100), [&](Cycle) {
    rig->cycle();
    return clock.now < log.cycles;
  });
  driver.run();
  writer.close();
  if (!writer.error().empty()) throw std::runtime_error(writer.error());
  return std::move(events.cycles);
}

TcuSimulationConfig machine_config(const RandomProgram& program) {
  TcuSimulationConfig config;
  config.architecture = program.architecture;
  config.axi_data_bits = program.axi_data_bits;
  return config;
}

TcuEventFormat event_widths(const TcuSimulationConfig& config) {
  const tcu::InstructionLayout layout(config.architecture);
  return {EventStyle::axi, config.architecture.data_type, config.architecture.array_size,
          layout.instruction_bytes(), config.axi_data_bits / 8};
}

TracedSimulation::TracedSimulation(const RandomProgram& program, const TcuSimulationConfig& config)
    : program_(program),
      simulation_(config),
      registry_(std::make_shared<TcuWidths>(config.architecture, config.axi_data_bits)),
      events_(simulation_.machine().event_format()) {
  simulation_.system().describe(trace::Scope(registry_, "top"));
  simulation_.observe(&events_);
}

TcuRunResult TracedSimulation::run(const std::string& vcd, const TraceSettings& settings,
                                   Cycle max_cycles) {
  plan_ = make_plan(registry_, settings.selection);
  trace::VcdWriter writer(vcd, plan_, {"test", "", test_period_ps * 1000});
  trace::Tracer tracer(plan_, settings.window, writer);
  simulation_.watch(&tracer);
  for (const RandomProgram::Window& window : program_.windows) {
    simulation_.write_dram(window.port, window.address, window.bytes);
  }
  TcuRunOptions options;
  options.max_cycles = max_cycles;
  TcuRunResult result = simulation_.run(program_.bytes(), options);
  simulation_.watch(nullptr);
  writer.close();
  if (!writer.error().empty()) throw std::runtime_error(writer.error());
  return result;
}

}  // namespace tactus
