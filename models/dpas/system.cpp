#include "models/dpas/system.h"

#include <algorithm>

#include "isa/dpas/timing.h"
#include "models/dpas/events.h"
#include "models/dpas/machine_info.h"
#include "models/sim/trace/cycle_watcher.h"

namespace tactus::dpas {

System::System(const sc_core::sc_module_name& name, Clock& clock,
               const MachineParameters& parameters)
    : sc_module(name),
      parameters_(parameters),
      clock_(clock),
      registers_("registers", parameters.profile, parameters.threads),
      array_("array", clock, parameters_, registers_, links_.array),
      alu_("alu", clock, registers_, links_.alu),
      memory_("lsu", clock, parameters_, registers_, links_.memory),
      time_(clock) {
  clock.engine = parameters.engine;
  if (parameters.memory == MemoryKind::ideal) {
    ideal_ = std::make_unique<IdealPort>("ideal", clock, parameters.ideal_cycles(),
                                         parameters.profile.send_latency, parameters.ideal_bytes,
                                         memory_.queue());
    memory_.attach(*ideal_);
  } else {
    axi_ = std::make_unique<AxiPort>("axi", clock, parameters.beat_bytes(), parameters.bursts,
                                     memory_.queue(), pins_);
    memory_.attach(*axi_);
  }
  issue_ = std::make_unique<IssueStage>("issue", clock, parameters_, registers_, array_, alu_,
                                        memory_, links_);
}

System::~System() = default;

void System::attach(AxiTarget& target) {
  target_ = &target;
  axi_->attach(target);
}

void System::start(const std::vector<ThreadStart>& threads) {
  ops_ = 0;
  for (const ThreadStart& thread : threads) {
    if (thread.kernel != nullptr) ops_ = std::max(ops_, thread.kernel->most_ops());
  }
  if (ops_ == 0) ops_ = 4;
  issue_->start(threads);
  loop_.restart();
}

// ---- time ---------------------------------------------------------------------------------------

void System::cycle() {
  const bool watched = clock_.watcher != nullptr && clock_.watcher->next(clock_.now) == clock_.now;
  array_.drive();
  alu_.drive();
  memory_.drive();
  if (target_ != nullptr) target_->drive();
  issue_->drive();
  if (watched) clock_.watcher->settled(clock_.now);
  // Units accept an issued instruction first, since the issue stage then asks them when it will be
  // done.
  array_.commit();
  alu_.commit();
  memory_.commit();
  if (target_ != nullptr) target_->commit();
  issue_->commit();
  time_.commit(array_.state(clock_.now), *issue_, memory_.port().state());
  if (clock_.events != nullptr) clock_.events->end_of_cycle(clock_.now);
  if (watched) clock_.watcher->committed(clock_.now);
}

/// First cycle after `now` in which a unit does something. Cycle `now` has been evaluated.
Cycle System::next_event(Cycle now) const {
  Cycle next = issue_->next_event(now);
  if (next == now + 1) return next;
  next = std::min({next, array_.next_event(now), alu_.next_event(now)});
  if (next == now + 1) return next;
  return std::min(next, memory_.next_event(now));
}

Cycle System::advance(Cycle most) {
  return loop_.advance(
      most, [this] { cycle(); }, [this](Cycle now) { return next_event(now); });
}

bool System::waits_for_memory() const {
  return !memory_.idle() && memory_.port().waits_for_memory();
}

std::vector<std::string> System::waits_for() {
  std::vector<std::string> lines = issue_->waits_for();
  if (const std::string memory = memory_.port().waits_for(); !memory.empty()) {
    lines.push_back("load/store unit: " + memory);
  }
  return lines;
}

// ---- what can be seen ---------------------------------------------------------------------------

std::vector<Account*> System::accounts() {
  std::vector<Account*> all{&issue_->account()};
  for (unsigned t = 0; t < issue_->threads(); ++t) all.push_back(&issue_->thread_account(t));
  all.push_back(&array_.account());
  all.push_back(&alu_.account());
  all.push_back(&memory_.account());
  if (target_ != nullptr) {
    for (Account* account : {target_->account(), target_->memory_account()}) {
      if (account != nullptr) all.push_back(account);
    }
  }
  all.push_back(&time_.account());
  return all;
}

void System::describe(const trace::Scope& scope) const {
  scope.clock("clock");
  issue_->describe(scope.unit("issue"));
  array_.describe(scope.unit("array"));
  alu_.describe(scope.unit("alu"));
  memory_.describe(scope.unit("lsu"));
  registers_.describe(scope.unit("registers"));
}

std::shared_ptr<const trace::Widths> System::widths() const {
  const unsigned channels = parameters_.profile.execution_size;
  return std::make_shared<trace::Widths>(channels, 32U, 4U, parameters_.beat_bytes() * 8);
}

EventFormat System::event_format() const { return dpas::event_format(parameters_.beat_bytes()); }

std::function<bool()> System::trigger(const TraceTrigger& trigger) const {
  if (trigger.what != TraceTrigger::What::program_counter) return {};
  return [this, first = trigger.first, last = trigger.last] {
    for (unsigned t = 0; t < issue_->threads(); ++t) {
      if (issue_->thread_state(t) == IssueStage::rest) continue;
      const std::uint32_t counter = issue_->program_counter(t);
      if (counter >= first && counter <= last) return true;
    }
    return false;
  };
}

// ---- figures ------------------------------------------------------------------------------------

const MachineInfo& System::info() const { return dpas_machine_info(); }

MachineRates System::rates() const {
  return {1, peak_macs(parameters_.profile, ops_), parameters_.beat_bytes(),
          parameters_.profile.grf_bytes};
}

std::vector<std::pair<std::string_view, std::vector<std::uint64_t>>> counter_list(
    const UnitStats& s) {
  return {
      {"read_beats", {s.port.read_beats}},
      {"write_beats", {s.port.write_beats}},
      {"read_bursts", {s.port.read_bursts}},
      {"write_bursts", {s.port.write_bursts}},
      {"read_alone", {s.port.read_beats - s.port.both}},
      {"write_alone", {s.port.write_beats - s.port.both}},
      {"read_and_write", {s.port.both}},
      {"dpas", {s.array.instructions}},
      {"rows", {s.array.rows}},
      {"macs", {s.array.macs}},
      {"macros", {s.array.macros}},
      {"conflict_cycles", {s.array.conflict_cycles}},
      {"grf_reads", {s.registers.reads}},
      {"grf_reads_saved", {s.registers.saved}},
      {"grf_writes", {s.registers.writes}},
      {"alu_cycles", {s.alu.cycles}},
      {"alu_instructions", {s.alu.instructions}},
      {"loads", {s.messages.loads}},
      {"stores", {s.messages.stores}},
      {"bytes_loaded", {s.messages.bytes_loaded}},
      {"bytes_stored", {s.messages.bytes_stored}},
      {"issued", {s.issue.issued.begin(), s.issue.issued.end()}},
      {"macs_by_kind", {s.array.macs_by_kind.begin(), s.array.macs_by_kind.end()}},
      {"alu_lanes", {s.alu.lanes}},
  };
}

std::vector<std::uint64_t> System::counters() const {
  const Cycle now = clock_.now;
  std::vector<std::uint64_t> all;
  for (const auto& [name, values] :
       counter_list({memory_.port().stats(now), memory_.stats(), array_.stats(now),
                     registers_.stats(), alu_.stats(now), issue_->stats()})) {
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

std::vector<KindCounts> System::kind_counts() const {
  const IssueStage::Stats& stats = issue_->stats();
  std::vector<KindCounts> kinds(operation_kinds);
  for (std::size_t k = 0; k < operation_kinds; ++k) {
    kinds[k] = {stats.by_kind[k], stats.registers_by_kind[k]};
  }
  return kinds;
}

}  // namespace tactus::dpas
