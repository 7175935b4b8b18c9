#include "tests/support/run_record.h"

#include <algorithm>
#include <array>
#include <utility>

#include <fmt/format.h>

#include "firmware/driver/common/memory_system.h"
#include "firmware/driver/tcu/timeline_tracks.h"
#include "firmware/driver/tcu/units.h"
#include "isa/support/error.h"
#include "models/tcu/fast/tcu_sequences.h"
#include "tests/support/differential.h"
#include "tests/support/event_log.h"

namespace tactus {
namespace {

/// Logs the cycles of the events that a timeline draws, without their data.
class TimelineLog final : public EventSink {
 public:
  TimelineLog(const TcuSimulation& simulation, std::vector<std::string>& log)
      : simulation_(simulation), kinds_(TcuTimelineTracks(simulation).kinds()), log_(log) {}

  void event(const Event& e) override {
    if ((kinds_ >> e.kind & 1) != 0) {
      add(fmt::format("event {} {} {} {} {}", e.kind, e.port, e.a, e.b, e.c));
    }
  }
  void level(unsigned queue, std::uint64_t items) override {
    add(fmt::format("level {} {}", queue, items));
  }
  void end_of_cycle(Cycle cycle) override {
    if (cycle < next_) log_.push_back(fmt::format("cycle {} ends twice", cycle));
    next_ = cycle + 1;
  }
  [[nodiscard]] EventKinds kinds() const override { return kinds_; }

 private:
  void add(const std::string& text) {
    const Cycle now = simulation_.now();
    log_.push_back(fmt::format("{} {}{}", now, text, now < next_ ? ", which has ended" : ""));
  }

  const TcuSimulation& simulation_;
  EventKinds kinds_;
  std::vector<std::string>& log_;
  Cycle next_ = 0;
};

/// Lists the intervals of accounts as they are told.
class Intervals final : public AccountObserver {
 public:
  explicit Intervals(std::vector<std::string>& log) : log_(log) {}
  void interval(const Account& account, unsigned code, Cycle from, Cycle to) override {
    log_.push_back(fmt::format("{}: {} {} {}", account.unit(), code, from, to));
  }

 private:
  std::vector<std::string>& log_;
};

template <typename List>
std::string list_difference(const char* name, const List& one, const List& other) {
  const std::size_t common = std::min(one.size(), other.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (one[i] != other[i]) {
      return fmt::format("{} {} differs: {} and {}", name, i, one[i], other[i]);
    }
  }
  if (one.size() == other.size()) return {};
  return fmt::format("{} and {} of {}", one.size(), other.size(), name);
}

/// Returns every figure of a run and its accounting: the cycles of all units by state.
std::vector<std::uint64_t> counters(const RunRecord& record) {
  const TcuRunResult& r = record.result;
  std::vector<std::uint64_t> all{record.simulated,
                                 r.cycles,
                                 r.instructions,
                                 r.retired,
                                 r.last_retire,
                                 r.last_retire_padded,
                                 r.last_b[0].value_or(~Cycle{0}),
                                 r.last_b[1].value_or(~Cycle{0}),
                                 r.read_beats[0],
                                 r.read_beats[1],
                                 r.write_beats[0],
                                 r.write_beats[1],
                                 r.read_bursts[0],
                                 r.read_bursts[1],
                                 r.write_bursts[0],
                                 r.write_bursts[1],
                                 r.array_runs,
                                 r.array_loads,
                                 r.alu_operations};
  const auto append = [&](const auto& more) { all.insert(all.end(), more.begin(), more.end()); };
  for (const UnitCycles& unit : r.accounting.units) append(unit.cycles);
  for (const KindFigures& kind : r.accounting.kinds) {
    all.push_back(kind.count);
    all.push_back(kind.vectors);
    append(kind.head);
  }
  append(r.accounting.totals.time);
  append(r.accounting.totals.values);
  for (const TcuRunResult::DaisCounts& dais : r.dais) {
    all.push_back(dais.instructions);
    all.push_back(dais.samples);
  }
  for (const RegionFigures& region : r.accounting.regions) {
    all.push_back(region.instructions);
    append(region.counters.time);
    append(region.counters.values);
  }
  for (const RegionSpan& span : r.accounting.spans) {
    append(std::array<std::uint64_t, 3>{span.region, span.from, span.to});
  }
  return all;
}

/// `shared`: others use the memory, whose figures are then not those of this unit's cycle.
RunRecord record_on(TcuSimulation& simulation, const RunOrder& order, bool shared = false) {
  RunRecord record;
  load_windows(*order.program, simulation);
  EventLog log(simulation.machine().event_format(), record.events);
  TimelineLog timeline(simulation, record.events);
  if (order.accounts == Observed::timeline && !order.events) {
    simulation.observe(&timeline);
  } else {
    simulation.observe(order.events ? &log : nullptr);
  }
  simulation.system().on_sample = [&record](const Sample& sample) {
    record.samples.push_back(sample.last ? ~sample.word : sample.word);
  };
  Intervals intervals(order.accounts == Observed::timeline ? record.events : record.intervals);
  if (order.accounts == Observed::time) simulation.observe_time(&intervals);
  if (order.accounts >= Observed::everybody) simulation.observe_accounts(&intervals);
  TcuRunOptions options = order.options;
  options.retire_log = &record.retires;
  try {
    record.result = simulation.run(order.program->bytes(), options);
  } catch (const UserError& error) {
    record.error = error.what();  // for example, an undefined instruction of an extension
    simulation.observe_accounts(nullptr);
    simulation.observe(nullptr);
    return record;
  }
  simulation.observe_accounts(nullptr);
  simulation.observe(nullptr);
  record.contents = contents(simulation, *order.program);
  record.simulated = simulation.now();
  if (MemorySystem* memory = simulation.memory_system(); memory != nullptr && !shared) {
    record.memory_statistics = memory_statistics(*memory);
  }
  record.evaluations = simulation.system().evaluations();
  if (const TcuSequences* sequences = simulation.system().sequences()) {
    record.in_sequences = sequences->taken();
    record.skipped = sequences->skipped();
    record.worked_out = sequences->worked_out();
  }
  record.most_evaluations = simulation.system().units() * record.simulated;
  return record;
}

}  // namespace

std::vector<std::uint64_t> memory_statistics(MemorySystem& memory) {
  const DdrFigures figures = memory.figures();  // also makes the statistics those of this cycle
  const DdrStatistics& s = memory.controller().statistics();
  std::vector<std::uint64_t> all{
      s.reads,     s.writes,         s.hits,       s.misses, s.conflicts, s.activates, s.precharges,
      s.refreshes, s.refresh_clocks, s.bus_clocks, s.clocks, s.queue,     s.row,       s.refresh,
      s.bus,       s.rest,           figures.bytes};
  all.insert(all.end(), figures.waits.begin(), figures.waits.end());
  for (const DdrPortStatistics& port : s.ports) {
    all.insert(all.end(), {port.bytes_read, port.bytes_written});
    for (const DdrLatencies& l : {port.reads, port.writes}) {
      all.insert(all.end(), {l.count, l.sum, l.max});
      all.insert(all.end(), l.histogram.begin(), l.histogram.end());
    }
  }
  return all;
}

Observed observed_of(const RandomProgram& program) {
  switch (program.seed % 8) {
    case 1:
      return Observed::time;
    case 3:
      return Observed::everybody;
    case 5:
    case 7:
      return Observed::timeline;
    default:
      return Observed::nobody;
  }
}

std::vector<RunRecord> record_runs(const std::vector<RunOrder>& runs,
                                   const TcuSimulationConfig& config) {
  std::vector<RunRecord> records;
  TcuSimulation simulation(config);
  for (const RunOrder& order : runs) records.push_back(record_on(simulation, order));
  return records;
}

RecordsTogether record_together(const std::vector<std::vector<RunOrder>>& runs,
                                const TcuSimulationConfig& config, unsigned units) {
  std::size_t longest = 0;
  for (const auto& of_unit : runs) {
    for (const RunOrder& order : of_unit) {
      longest = std::max(longest, order.program->bytes().size());
    }
  }
  TcuUnits machines(config, units, longest);
  RecordsTogether records;
  records.units.resize(runs.size());
  machines.run([&](unsigned u) {
    if (u >= runs.size()) return;
    for (const RunOrder& order : runs[u]) {
      records.units[u].push_back(record_on(machines[u], order, true));
      if (!records.units[u].back().error.empty()) return;
    }
  });
  records.memory_statistics = memory_statistics(*machines[0].memory_system());
  return records;
}

RunRecord record_run(const RandomProgram& program, const TcuSimulationConfig& config,
                     Cycle max_cycles, bool events, Observed accounts) {
  RunOrder order{&program, {}, events, accounts};
  order.options.max_cycles = max_cycles;
  return std::move(record_runs({order}, config).front());
}

std::string difference(const RunRecord& one, const RunRecord& other) {
  if (one.error != other.error) return "errors: " + one.error + " and " + other.error;
  std::string text = list_difference("event", one.events, other.events);
  if (text.empty()) text = list_difference("retire", one.retires, other.retires);
  if (text.empty()) text = list_difference("interval", one.intervals, other.intervals);
  if (text.empty()) text = list_difference("sample", one.samples, other.samples);
  if (text.empty()) text = list_difference("byte of memory", one.contents, other.contents);
  if (text.empty() && one.result.end != other.result.end) text = "the runs end differently";
  for (std::size_t i = 0; text.empty() && i < one.result.accounting.units.size(); ++i) {
    const UnitCycles& unit = one.result.accounting.units[i];
    text = list_difference(("cycles of " + unit.unit + ": state").c_str(), unit.cycles,
                           other.result.accounting.units[i].cycles);
  }
  if (text.empty()) text = list_difference("counter", counters(one), counters(other));
  if (text.empty()) {
    text = list_difference("figure of the memory", one.memory_statistics, other.memory_statistics);
  }
  if (text.empty()) {
    text = list_difference("reason to wait", one.result.waits_for, other.result.waits_for);
  }
  return text;
}

}  // namespace tactus
