// The smallest machine. It shows how a machine is added.
//
// A program is a list of bytes. Each byte b is an instruction: add 1 to the sum b times, once per
// cycle. The issuer accepts an instruction in a cycle in which the adder has nothing left to do;
// the adder starts in the next cycle. A machine consists of four parts, in this order:
//   1. tables (toy_machine_info), which do not need the machine: units with their states, the
//   account
//      of the main unit, kinds of instructions, counters, identities, figures, events, memories;
//   2. a Machine, which evaluates cycles, says which can be skipped, counts, and shows its signals;
//   3. a Simulation, which gives the machine programs and reads its memories;
//   4. if wanted, tracks of its own in a timeline.
// Everything else (run loop, accounting, statistics, pages, waveforms) works without further code.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firmware/driver/common/simulation.h"
#include "firmware/driver/common/timeline_tracks.h"
#include "models/sim/event_loop.h"
#include "models/sim/link.h"
#include "models/sim/machine.h"
#include "models/sim/trace/cycle_watcher.h"

namespace tactus {

constexpr std::uint8_t toy_hang = 0xFF;  ///< an instruction that never ends

struct ToyEvent {
  enum Kind : EventKind { add };
};

struct ToyItem {
  std::uint8_t count = 0;
};

namespace trace {
inline void describe_payload(Payload& p, const ToyItem& item) {
  p.field(
      "count", 8, [&item] { return item.count; }, Radix::decimal);
}
}  // namespace trace

struct ToyIssuer {
  enum State : unsigned { issue, wait_adder, rest };
  static constexpr std::array<UnitState, 3> state_table{{
      {"issue", StateKind::busy, "an instruction goes to the adder"},
      {"wait_adder", StateKind::stall, "the adder is not done with the instruction before"},
      {"idle", StateKind::idle, "the program is over"},
  }};
};
struct ToyAdder {
  enum State : unsigned { add, hang, rest };
  static constexpr std::array<UnitState, 3> state_table{{
      {"add", StateKind::busy, "1 is added to the sum"},
      {"hang", StateKind::stall, "the instruction never ends"},
      {"idle", StateKind::idle, "no instruction"},
  }};
};
struct ToyTime {
  enum State : unsigned { add, issue, ended };
  static constexpr std::array<UnitState, 3> state_table{{
      {"add", StateKind::busy, "1 is added to the sum"},
      {"issue", StateKind::stall, "the adder has no instruction, or one that never ends"},
      {"ended", StateKind::idle, "the program is over"},
  }};
};

inline const MachineInfo& toy_machine_info() {
  static const MachineInfo table = [] {
    MachineInfo info;
    info.name = "toy";
    info.sentence = "adds ones";
    info.units = {{"issuer", "issuer", ToyIssuer::state_table, true},
                  {"adder", "adder", ToyAdder::state_table}};
    info.time = {"adder", "toy_time", ToyTime::state_table, {}, {}, "nothing added", {}};
    info.time.reasons = {{"adding", 0}, {"no instruction", 1}, {"after the program", 1}};
    info.time.groups = {{"adds", 0}, {"does not", 5}};
    info.time.introduction = "The adder adds, or has nothing to add.";
    info.kinds = {{"add", "Add"}};
    info.kinds_introduction = "There is one kind of instruction.";
    info.counters = {{"additions"}};
    info.identities = {{"adder", "add", {{"additions"}}}, {"toy_time", "add", {{"additions"}}}};
    info.work = "additions";
    info.run_figures = {
        {"additions", "count", "ones that were added"},
        {"sum", "count", "the sum in the end", FigureInfo::Source::own},
    };
    info.layer_figures = {{"additions", "count", "ones that were added in these cycles"}};
    info.meanings = {{"cycles", "retire of the last instruction"}};
    info.events = {{"ADD", "1 is added", {{"sum", EventField::Operand::a, "the sum before"}}}};
    info.memories = {{"sum"}};
    return info;
  }();
  return table;
}

class ToyMachine final : public Machine {
 public:
  explicit ToyMachine(Clock& clock, Engine engine = Engine::step) : clock_(clock) {
    clock.engine = engine;
  }

  void load(const std::vector<std::uint8_t>& program) {
    program_ = &program;
    next_ = 0;
    loop_.restart();
  }
  /// Number of cycles that were evaluated, not skipped.
  [[nodiscard]] Cycle evaluated() const { return evaluated_; }
  [[nodiscard]] std::uint64_t sum() const { return sum_; }
  /// Makes the counter of additions wrong by one, which the accounting must detect.
  void break_identity() { --additions_; }
  std::function<void(Cycle)> on_retire;

  [[nodiscard]] const MachineInfo& info() const override { return toy_machine_info(); }
  [[nodiscard]] MachineRates rates() const override { return {1, 1, 0, 1}; }

  Cycle advance(Cycle most) override {
    return loop_.advance(
        most, [this] { cycle(); }, [this](Cycle now) { return next_event(now); });
  }
  void pause() override { loop_.pause(); }
  [[nodiscard]] bool idle() const override { return ended() && left_ == 0; }
  [[nodiscard]] bool waits_for_memory() const override { return false; }
  [[nodiscard]] std::vector<std::string> waits_for() override {
    if (left_ == 0) return {};
    return {"adder: the end of an instruction that has none"};
  }

  [[nodiscard]] std::vector<Account*> accounts() override { return {&issuer_, &adder_, &time_}; }
  [[nodiscard]] std::vector<std::uint64_t> counters() const override { return {additions_}; }
  [[nodiscard]] std::vector<KindCounts> kind_counts() const override {
    return {{retired_, retired_}};
  }

  [[nodiscard]] EventFormat event_format() const override {
    return {toy_machine_info().events, {}};
  }
  [[nodiscard]] std::shared_ptr<const trace::Widths> widths() const override {
    return std::make_shared<trace::Widths>(1U, 8U, 1U, 8U);
  }
  void describe(const trace::Scope& scope) const override {
    scope.clock("clock");
    const trace::Scope adder = scope.unit("adder");
    adder.channel("instruction", instruction_);
    adder.reg(
        "left", 8, [this] { return left_; }, trace::Radix::decimal);
    adder.reg(
        "sum", 64, [this] { return sum_; }, trace::Radix::decimal);
  }
  [[nodiscard]] std::function<bool()> trigger(const TraceTrigger& /*trigger*/) const override {
    return {};
  }

 private:
  [[nodiscard]] bool ended() const { return program_ == nullptr || next_ == program_->size(); }

  /// Next cycle in which anything can change. If the last cycle changed nothing, none will.
  [[nodiscard]] Cycle next_event(Cycle now) const { return moved_ ? now + 1 : EventLoop::never; }

  void cycle() {
    ++evaluated_;
    const bool watched =
        clock_.watcher != nullptr && clock_.watcher->next(clock_.now) == clock_.now;
    instruction_.valid = !ended();
    instruction_.ready = left_ == 0;
    if (!ended()) instruction_.bits.count = (*program_)[next_];
    if (watched) clock_.watcher->settled(clock_.now);
    const std::uint64_t progress = clock_.progress;
    commit();
    moved_ = clock_.progress != progress;
    if (clock_.events != nullptr) clock_.events->end_of_cycle(clock_.now);
    if (watched) clock_.watcher->committed(clock_.now);
  }

  void commit() {
    const bool hangs = left_ == toy_hang;
    const bool adds = left_ != 0 && !hangs;
    constexpr unsigned head = ToyIssuer::state_table.size();  // codes with an Add at the head
    issuer_.enter(instruction_.fires() ? head + ToyIssuer::issue
                  : instruction_.valid ? head + ToyIssuer::wait_adder
                                       : static_cast<unsigned>(ToyIssuer::rest));
    adder_.enter(adds ? ToyAdder::add : hangs ? ToyAdder::hang : ToyAdder::rest);
    const bool over = ended() && left_ == 0;
    time_.enter(adds ? ToyTime::add : over ? ToyTime::ended : ToyTime::issue);
    if (adds) {
      if (clock_.events != nullptr) clock_.events->event({ToyEvent::add, 0, sum_});
      ++sum_;
      ++additions_;
      --left_;
      ++clock_.progress;
      if (left_ == 0) {
        ++retired_;
        if (on_retire) on_retire(clock_.now);
      }
    }
    if (instruction_.fires()) {
      left_ = instruction_.bits.count;
      ++next_;
      ++clock_.progress;
    }
  }

  Clock& clock_;
  const std::vector<std::uint8_t>* program_ = nullptr;
  std::size_t next_ = 0;
  Link<ToyItem> instruction_;
  std::uint8_t left_ = 0;
  std::uint64_t sum_ = 0, additions_ = 0, retired_ = 0;
  bool moved_ = false;  ///< true: the last cycle changed a register
  Cycle evaluated_ = 0;
  EventLoop loop_{*this, clock_};
  Account issuer_{"issuer", clock_, ToyIssuer::state_table, ToyIssuer::rest, 2};
  Account adder_{"adder", clock_, ToyAdder::state_table, ToyAdder::rest};
  Account time_{"toy_time", clock_, ToyTime::state_table, ToyTime::ended};
};

class ToySimulation final : public Simulation {
 public:
  explicit ToySimulation(Engine engine = Engine::step) : machine_(clock_, engine) {
    machine_.on_retire = [this](Cycle cycle) { retired(cycle); };
    start(machine_, 100, 50);
  }
  /// Runs a program. No instruction may be 0.
  RunResult run(const std::vector<std::uint8_t>& program, const RunOptions& options = {}) {
    RunResult result(toy_machine_info());
    machine_.load(program);
    Simulation::run(program.size(), options, result);
    return result;
  }
  [[nodiscard]] ToyMachine& toy() { return machine_; }

  [[nodiscard]] std::uint64_t memory_bytes(std::size_t /*memory*/) const override { return 1; }
  [[nodiscard]] std::vector<std::uint8_t> read_memory(std::size_t /*memory*/,
                                                      std::uint64_t /*address*/,
                                                      std::uint64_t /*count*/) override {
    return {static_cast<std::uint8_t>(machine_.sum())};
  }

 private:
  ToyMachine machine_;
};

/// Tracks in a timeline: a slice for each addition, and the sum as a gauge.
class ToyTimelineTracks final : public TimelineTracks {
 public:
  explicit ToyTimelineTracks(const ToyMachine& machine) : machine_(machine) {}
  void begin(TimelineSheet& timeline) override {
    timeline_ = &timeline;
    timeline.track(TimelineSheet::first_fixed_track, "adder: additions");
  }
  void begin_run(const std::vector<std::uint8_t>& /*program*/) override {}
  void event(const Event& /*event*/, Cycle now) override {
    timeline_->slice(TimelineSheet::first_fixed_track, "add", "execute", now, now + 1);
  }
  [[nodiscard]] std::vector<GaugeGroup> gauges() override {
    return {{"sum", {{"sum", [this] { return machine_.sum(); }}}}};
  }

 private:
  const ToyMachine& machine_;
  TimelineSheet* timeline_ = nullptr;
};

}  // namespace tactus
