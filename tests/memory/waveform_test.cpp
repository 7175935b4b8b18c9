// Waveforms of the board's memory: they are the same with both engines, and show the commands that
// the controller issued.
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <unistd.h>

#include "firmware/driver/common/memory_system.h"
#include "isa/support/files.h"
#include "models/sim/clock_driver.h"
#include "models/sim/kernel_time.h"
#include "models/sim/trace/tracer.h"
#include "models/tcu/widths.h"
#include "tests/dram/rule_checker.h"
#include "tests/memory/random_memory.h"
#include "tests/support/test_scale.h"
#include "tests/trace/vcd_reader.h"

namespace tactus {
namespace {

struct Log final : DdrObserver {
  std::vector<DdrCommand> commands;
  void command(const DdrCommand& command) override { commands.push_back(command); }
};

std::string file_name(const char* name) {
  return (std::filesystem::temp_directory_path() /
          (std::string("tactus_waveform_") + std::to_string(::getpid()) + "_" + name))
      .string();
}

void load(TcuSimulation& simulation, const RandomProgram& program) {
  for (const RandomProgram::Window& window : program.windows) {
    simulation.write_dram(window.port, window.address, window.bytes);
  }
}

/// Runs the program with all signals of the memory in a waveform; returns its cycles.
Cycle trace_run(const RandomProgram& program, TcuSimulationConfig config, Engine engine,
                const std::string& path, trace::Window window = {}) {
  config.engine = engine;
  TcuSimulation simulation(config);
  trace::Registry registry(std::make_shared<TcuWidths>(config.architecture, config.axi_data_bits));
  simulation.machine().describe(trace::Scope(registry, "top"));
  simulation.memory_system()->describe(trace::Scope(registry, "top"));
  trace::Selection selection;
  selection.globs = {"top.memory", "top.memory.ddr.slots"};
  const trace::Plan plan = make_plan(registry, selection);
  trace::VcdWriter writer(path, plan, {"test", "", femtoseconds(clock_period(config.clock_mhz))});
  trace::Tracer tracer(plan, std::move(window), writer);
  simulation.watch(&tracer);
  load(simulation, program);
  const TcuRunResult result = simulation.run(program.bytes());
  simulation.watch(nullptr);
  writer.close();
  EXPECT_EQ(writer.error(), "");
  return result.cycles;
}

std::vector<DdrCommand> commands_of(const RandomProgram& program,
                                    const TcuSimulationConfig& config) {
  TcuSimulation simulation(config);
  Log log;
  simulation.memory_system()->controller().observe(&log);
  load(simulation, program);
  (void)simulation.run(program.bytes());
  // Computes events that no initiator waits for; they are normally computed later.
  DdrController& controller = simulation.memory_system()->controller();
  controller.catch_up(simulation.now() * clock_period(config.clock_mhz).value());
  controller.observe(nullptr);
  return log.commands;
}

/// Returns a text such as "100 ACT 5": clock, command, bank.
std::string text_of(DdrClock clock, const DdrCommand& command) {
  std::string text = std::to_string(clock) + " " + to_text(command.kind);
  const bool all = command.kind == DdrCommandKind::prea || command.kind == DdrCommandKind::ref;
  return all ? text : text + " " + std::to_string(command.bank);
}

std::string characters(std::uint64_t value) {
  std::string text;
  for (int byte = 7; byte >= 0; --byte) {
    const auto c = static_cast<char>(value >> (8 * byte));
    if (c != 0) text += c;
  }
  return text;
}

/// State of the banks, which the test derives from the log.
struct Banks {
  std::vector<std::int64_t> rows;
  DdrClock refreshed = 0;
  void apply(const DdrCommand& c, const DdrConfig& config) {
    if (c.kind == DdrCommandKind::act) rows[c.bank] = c.row;
    const bool closes = c.kind == DdrCommandKind::pre || c.kind == DdrCommandKind::rda ||
                        c.kind == DdrCommandKind::wra;
    if (closes) rows[c.bank] = -1;
    if (c.kind == DdrCommandKind::prea) rows.assign(rows.size(), -1);
    if (c.kind == DdrCommandKind::ref) refreshed = c.clock + config.t_rfc;
  }
};

/// Describes the first difference between the waveform and the log; empty if there is none.
std::string check(const std::string& path, const std::vector<DdrCommand>& log,
                  const DdrConfig& config, std::uint64_t period_ps, Cycle last) {
  VcdReader reader(path);
  VcdCycles cycles(reader, period_ps);
  const auto slots = static_cast<unsigned>((period_ps + config.tck_ps - 1) / config.tck_ps);
  Banks banks{std::vector<std::int64_t>(config.all_banks(), -1)};
  std::size_t next = 0;
  while (cycles.next() && cycles.cycle() <= last) {
    const std::uint64_t t = cycles.cycle();
    const DdrClock first = t == 0 ? 0 : (t - 1) * period_ps / config.tck_ps + 1;
    const DdrClock end = t * period_ps / config.tck_ps;
    unsigned count = 0;
    for (unsigned i = 0; i < slots; ++i) {
      const std::string shown =
          characters(reader.value("top.memory.ddr.slots.clock" + std::to_string(i)));
      if (shown.empty()) continue;
      ++count;
      const std::string text = std::to_string(first + i) + " " + shown;
      if (next == log.size()) return "nothing is left for " + text;
      if (text != text_of(log[next].clock, log[next])) {
        return text + " is shown, and the command is " + text_of(log[next].clock, log[next]);
      }
      banks.apply(log[next++], config);
    }
    if (next < log.size() && log[next].clock <= end)
      return "missing: " + text_of(log[next].clock, log[next]);
    if (reader.value("top.memory.ddr.commands") != count) return "commands are miscounted";
    const std::string shown = characters(reader.value("top.memory.ddr.command.name"));
    if (shown != (count == 0 ? "" : to_text(log[next - 1].kind))) return "wrong name " + shown;
    for (unsigned b = 0; b < config.all_banks(); ++b) {
      const std::string name = "top.memory.ddr.bank" + std::to_string(b);
      const std::uint64_t state = end < banks.refreshed ? 2 : banks.rows[b] < 0 ? 0 : 1;
      if (reader.value(name + ".state") != state) return name + " in cycle " + std::to_string(t);
      const std::uint64_t row = banks.rows[b] < 0 ? 0 : static_cast<std::uint64_t>(banks.rows[b]);
      if (reader.value(name + ".row") != row) return name + ".row in cycle " + std::to_string(t);
    }
    if (reader.value("top.memory.ddr.reads") > config.buffer) return "too many reads";
  }
  return next == 0 && !log.empty() ? "the waveform shows no command" : "";
}

TEST(MemoryWaveform, IsTheSameWithBothEnginesAndShowsEveryCommand) {
  const std::string step = file_name("step.vcd"), fast = file_name("fast.vcd");
  std::size_t shown = 0;
  for (const std::uint64_t seed : test_seeds(34'000'000, 60)) {
    RandomOptions options;
    options.hazards = Hazards::none;
    const RandomProgram program = random_program(seed, options);
    if (!fits(program)) continue;
    Random random(seed ^ 0x3AFE);
    TcuSimulationConfig config = machine_config(program);
    randomise_timing(random, config);
    config.clock_mhz = random.pick({100.0, 333.0, 25.0});
    config.stalls = StallGenerator();
    random_memory(random, config);
    const Cycle last = trace_run(program, config, Engine::step, step);
    ASSERT_EQ(trace_run(program, config, Engine::fast, fast), last) << "seed " << seed;
    ASSERT_EQ(read_text(step), read_text(fast)) << "seed " << seed;
    const std::vector<DdrCommand> log = commands_of(program, config);
    const std::uint64_t period = clock_period(config.clock_mhz).value();
    ASSERT_EQ(check(step, log, *config.resolved_ddr, period, last), "") << "seed " << seed;
    ASSERT_TRUE(dram::broken_rules(*config.resolved_ddr, log, true).empty()) << "seed " << seed;
    shown += log.size();
    // Most cycles are outside this window and so not observed.
    trace::Window window;
    window.first = last / 2;
    window.last = last / 2 + 20;
    trace_run(program, config, Engine::step, step, window);
    trace_run(program, config, Engine::fast, fast, window);
    ASSERT_EQ(read_text(step), read_text(fast)) << "seed " << seed;
  }
  EXPECT_GT(shown, 0U);
  std::filesystem::remove(step);
  std::filesystem::remove(fast);
}

}  // namespace
}  // namespace tactus
