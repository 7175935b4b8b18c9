#include "firmware/replay/replay.h"

#include <algorithm>
#include <deque>

#include <fmt/format.h>

#include "firmware/replay/rig.h"
#include "isa/support/error.h"
#include "models/sim/clock_driver.h"
#include "models/sim/kernel_scope.h"
#include "models/tcu/events.h"

namespace tactus {
namespace {

constexpr std::size_t context_lines = 8;

/// True for events that logs of the whole top have. The others are hard to record inside the
/// elaborated top.
bool recorded_at_top(EventKind kind) {
  return kind != TcuEvent::alu && kind != TcuEvent::accumulator_read_a &&
         kind != TcuEvent::accumulator_read_b && kind != TcuEvent::timeout;
}

/// Compares the simulation's event lines with the log's, cycle by cycle, and keeps the first
/// difference.
class LogComparison final : public EventLines {
 public:
  LogComparison(EventFormat format, const GoldenLog& log)
      : EventLines(std::move(format)), log_(log) {}

  void event(const Event& event) override {
    if (log_.bare || recorded_at_top(event.kind)) EventLines::event(event);
  }

  /// Compares a cycle. Call it after the simulation of each cycle, also of one without events.
  void check_cycle(Cycle cycle) {
    if (!result.difference.empty()) return;
    std::vector<std::string> expected;
    if (const auto it = log_.events.find(cycle); it != log_.events.end()) expected = it->second;
    std::sort(expected.begin(), expected.end());
    std::vector<std::string> actual = std::move(actual_);
    actual_.clear();
    std::vector<std::string> sorted = actual;
    std::sort(sorted.begin(), sorted.end());
    if (sorted == expected) {
      result.events += expected.size();
      for (const std::string& line : actual) remember(fmt::format("{} {}", cycle, line));
      return;
    }
    describe(cycle, expected, sorted);
  }

  LogReplayResult result;

 private:
  void lines(Cycle /*cycle*/, const std::vector<std::string>& lines) override { actual_ = lines; }

  void remember(std::string line) {
    context_.push_back(std::move(line));
    if (context_.size() > context_lines) context_.pop_front();
  }

  void describe(Cycle cycle, const std::vector<std::string>& expected,
                const std::vector<std::string>& actual) {
    std::string& text = result.difference;
    text = fmt::format("{}: cycle {} differs\n  before:\n", log_.path, cycle);
    for (const std::string& line : context_) text += "    " + line + "\n";
    const auto only_in = [&](const auto& some, const auto& others, const char* title) {
      std::vector<std::string> rest;
      std::set_difference(some.begin(), some.end(), others.begin(), others.end(),
                          std::back_inserter(rest));
      if (rest.empty()) return;
      text += fmt::format("  {}:\n", title);
      for (const std::string& line : rest) text += fmt::format("    {} {}\n", cycle, line);
    };
    only_in(expected, actual, "only in the log");
    only_in(actual, expected, "only in the simulation");
    std::vector<std::string> both;
    std::set_intersection(expected.begin(), expected.end(), actual.begin(), actual.end(),
                          std::back_inserter(both));
    if (!both.empty()) text += "  in both:\n";
    for (const std::string& line : both) text += fmt::format("    {} {}\n", cycle, line);
  }

  const GoldenLog& log_;
  std::vector<std::string> actual_;
  std::deque<std::string> context_;
};

/// Makes an ACC, LOC or END line from the simulation's final state. The log's line says which
/// address it is for, and whether an END line has "pcreg".
std::string final_line(const GoldenLog& log, const ReplayRig& rig,
                       const tcu::Architecture& architecture, unsigned number,
                       const std::string& line) {
  const std::string kind = line.substr(0, 3);
  if (kind == "END") {
    const std::uint64_t total =
        log.program.size() / tcu::InstructionLayout(architecture).instruction_bytes();
    std::string text = fmt::format("END pc={}/{}", rig.delivered(), total);
    if (line.find("pcreg=") != std::string::npos) {
      text += fmt::format(" pcreg={}", rig.tcu().decoder().registers().program_counter);
    }
    return text;
  }
  const DualPortMemory& memory =
      kind == "ACC" ? rig.tcu().accumulators().accumulator().memory() : rig.tcu().local();
  std::uint64_t address = 0;
  try {
    address = std::stoull(line.substr(4));
  } catch (const std::exception&) {
    user_error("{}:{}: a memory line is \"{} address values\"", log.path, number, kind);
  }
  if (address >= memory.depth()) {
    user_error("{}:{}: address {} is outside the memory; allowed 0..{}", log.path, number, address,
               memory.depth() - 1);
  }
  std::string text = fmt::format("{} {}", kind, address);
  for (unsigned i = 0; i < architecture.array_size; ++i) {
    text += fmt::format(" {}", tcu::lane(architecture.data_type, memory.vector(address), i));
  }
  return text;
}

}  // namespace

LogReplayResult replay(const GoldenLog& log, const ReplayOptions& options) {
  // A default architecture is that of pynqz1, on which the logs were recorded.
  const tcu::Architecture architecture;
  TcuEventFormat format;
  format.style = log.bare ? EventStyle::bare : EventStyle::axi;

  KernelScope kernel;
  Clock clock;
  LogComparison comparison(tcu_event_format(format), log);
  clock.events = &comparison;
  const auto rig =
      make_rig(clock, log, architecture, options.engine, options.shuffle_seed, options.own_units);
  ClockDriver driver(
      "clock", clock, clock_period(100),
      [&](Cycle) {
        const Cycle cycle = clock.now;
        rig->cycle();
        comparison.check_cycle(cycle);
        return clock.now < log.cycles && comparison.result.difference.empty();
      },
      !options.own_units.empty());
  if (log.cycles > 0) driver.run();
  kernel.end_threads();

  LogReplayResult result = std::move(comparison.result);
  if (!result.difference.empty()) return result;
  if (!log.events.empty() && log.events.rbegin()->first >= log.cycles) {
    result.difference = fmt::format("{}: cycle {} lies beyond the {} cycles of the run", log.path,
                                    log.events.rbegin()->first, log.cycles);
    return result;
  }
  for (const auto& [number, line] : log.final_lines) {
    const std::string actual = final_line(log, *rig, architecture, number, line);
    if (actual != line) {
      result.difference = fmt::format("{}:{}: memory differs\n  log:        {}\n  simulation: {}",
                                      log.path, number, line, actual);
      return result;
    }
    ++result.memory_lines;
  }
  return result;
}

}  // namespace tactus
