// The DPAS machine: register files, issue stage, array, ALU, load/store unit.
//
//   threads -> issue stage --+--> array --+
//                            +--> ALU   --+--> register files
//                            +--> load/store unit --> memory side --> AXI4 pins or ideal memory
//
// The outputs of a unit depend only on its registers. In each cycle, drive() of all units comes
// before commit() of all units. Between two events (next_event() of the units) only the numbers of
// remaining cycles change, so EventLoop skips these cycles.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include <systemc>

#include "models/axi/axi.h"
#include "models/dpas/array_time.h"
#include "models/dpas/lsu/axi_port.h"
#include "models/dpas/lsu/ideal_port.h"
#include "models/sim/event_loop.h"
#include "models/sim/machine.h"

namespace tactus::dpas {

/// What the units have counted.
struct UnitStats {
  MemoryPort::Stats port;
  LoadStoreUnit::Stats messages;
  Array::Stats array;
  RegisterFile::Stats registers;
  Alu::Stats alu;
  IssueStage::Stats issue;
};

/// Names and values of all counters, in the order of statistics.
[[nodiscard]] std::vector<std::pair<std::string_view, std::vector<std::uint64_t>>> counter_list(
    const UnitStats& stats);

class System final : public sc_core::sc_module, public Machine {
 public:
  System(const sc_core::sc_module_name& name, Clock& clock, const MachineParameters& parameters);
  ~System() override;

  /// Connects the AXI4 slave at the pins. Call it before the first cycle, for MemoryKind::axi only.
  void attach(AxiTarget& target);
  [[nodiscard]] AxiLinks& pins() { return pins_; }
  /// The ideal memory; null for MemoryKind::axi.
  [[nodiscard]] IdealPort* ideal() { return ideal_.get(); }

  /// Starts the threads in the next cycle. Precondition: the machine is idle.
  void start(const std::vector<ThreadStart>& threads);

  [[nodiscard]] RegisterFile& registers() { return registers_; }
  [[nodiscard]] IssueStage& issue() { return *issue_; }
  [[nodiscard]] const IssueStage& issue() const { return *issue_; }
  [[nodiscard]] const Array& array() const { return array_; }
  [[nodiscard]] LoadStoreUnit& memory() { return memory_; }
  [[nodiscard]] const LoadStoreUnit& memory() const { return memory_; }
  [[nodiscard]] const MachineParameters& parameters() const { return parameters_; }

  [[nodiscard]] const MachineInfo& info() const override;
  /// The peak rate is that of the DPAS in the program with the most products per stage; before
  /// start(), and without DPAS, that of int8.
  [[nodiscard]] MachineRates rates() const override;
  Cycle advance(Cycle most) override;
  void pause() override { loop_.pause(); }
  [[nodiscard]] bool idle() const override { return issue_->all_ended() && memory_.idle(); }
  [[nodiscard]] bool waits_for_memory() const override;
  [[nodiscard]] std::vector<std::string> waits_for() override;
  [[nodiscard]] std::vector<Account*> accounts() override;
  [[nodiscard]] std::vector<std::uint64_t> counters() const override;
  [[nodiscard]] std::vector<KindCounts> kind_counts() const override;
  [[nodiscard]] EventFormat event_format() const override;
  [[nodiscard]] std::shared_ptr<const trace::Widths> widths() const override;
  void describe(const trace::Scope& scope) const override;
  [[nodiscard]] std::function<bool()> trigger(const TraceTrigger& trigger) const override;

 private:
  void cycle();
  [[nodiscard]] Cycle next_event(Cycle now) const;

  const MachineParameters parameters_;
  Clock& clock_;
  AxiLinks pins_;
  IssueLinks links_;
  RegisterFile registers_;
  Array array_;
  Alu alu_;
  LoadStoreUnit memory_;
  std::unique_ptr<IdealPort> ideal_;
  std::unique_ptr<AxiPort> axi_;
  AxiTarget* target_ = nullptr;
  std::unique_ptr<IssueStage> issue_;
  ArrayTime time_;
  unsigned ops_ = 4;  ///< largest number of products per stage and channel in the programs
  EventLoop loop_{*this, clock_};
};

}  // namespace tactus::dpas
