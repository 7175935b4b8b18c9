// Designs that write waveforms: golden logs on their rigs, and programs on a simulation.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "firmware/driver/tcu/simulation.h"
#include "firmware/replay/golden_log.h"
#include "models/sim/trace/tracer.h"
#include "models/tcu/events.h"
#include "models/tcu/widths.h"
#include "tests/support/random_program.h"

namespace tactus {

/// A folder for the files of a test.
class TraceFolder {
 public:
  TraceFolder();
  ~TraceFolder();
  TraceFolder(const TraceFolder&) = delete;
  TraceFolder& operator=(const TraceFolder&) = delete;
  [[nodiscard]] std::string path(const std::string& name) const {
    return (folder_ / name).string();
  }

 private:
  std::filesystem::path folder_;
};

/// Collects all event lines of a run by cycle, sorted within a cycle.
class EventsByCycle final : public EventLines {
 public:
  using EventLines::EventLines;
  std::map<Cycle, std::vector<std::string>> cycles;

 private:
  void lines(Cycle cycle, const std::vector<std::string>& lines) override;
};

constexpr std::uint64_t test_period_ps = 10000;

struct TraceSettings {
  trace::Selection selection;
  trace::Window window;
};

/// Replays a golden log's program for the log's cycles and returns the events of the replay.
std::map<Cycle, std::vector<std::string>> trace_log(const GoldenLog& log, const std::string& vcd);

/// A machine whose run is traced. A condition of the window may refer to its signals.
class TracedSimulation {
 public:
  TracedSimulation(const RandomProgram& program, const TcuSimulationConfig& config);
  /// The simulation. Its registers can be read before the run, for the condition of a window.
  [[nodiscard]] TcuSimulation& simulation() { return simulation_; }
  [[nodiscard]] const trace::Registry& registry() const { return registry_; }
  [[nodiscard]] const std::map<Cycle, std::vector<std::string>>& events() const {
    return events_.cycles;
  }
  [[nodiscard]] const trace::Plan& plan() const { return plan_; }
  TcuRunResult run(const std::string& vcd, const TraceSettings& settings, Cycle max_cycles = 0);

 private:
  const RandomProgram& program_;
  TcuSimulation simulation_;
  trace::Registry registry_;
  trace::Plan plan_;
  EventsByCycle events_;
};

[[nodiscard]] TcuSimulationConfig machine_config(const RandomProgram& program);
/// Returns the widths of values in the text of the machine's events.
[[nodiscard]] TcuEventFormat event_widths(const TcuSimulationConfig& config);

}  // namespace tactus
