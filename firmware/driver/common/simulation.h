// A machine on a SystemC kernel of its own, with the clock that drives it: runs programs to their
// end and accounts for them.
//
// What a program is, where it and its data come from, and which figures a run has beside those of
// MachineInfo, is up to the class derived for a machine.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "firmware/driver/common/accounting.h"
#include "models/sim/clock_driver.h"
#include "models/sim/kernel_scope.h"
#include "models/sim/machine.h"

namespace tactus {

/// Why a run ended.
enum class RunEnd {
  finished,     ///< everything retired and was answered
  hang,         ///< nothing can change any more
  cycle_limit,  ///< RunOptions::max_cycles, or StopRun thrown by RunOptions::progress
};

struct RunOptions {
  Cycle max_cycles = 0;  ///< of this run; 0: no limit
  std::vector<std::uint32_t>* retire_log =
      nullptr;  ///< appended: retire cycle of every instruction
  /// Parts of the program whose figures are wanted on their own; in order, inside the program.
  std::vector<Region> regions;
  /// Called now and then with the cycles and instructions of this run so far.
  std::function<void(Cycle cycles, std::uint64_t instructions)> progress;
};

/// Figures of one run of any machine. Cycles count from its first cycle.
struct RunResult {
  explicit RunResult(const MachineInfo& machine) : accounting(machine) {}

  RunEnd end = RunEnd::finished;
  /// The cycle of the last event of the program; up to the end if the run did not finish.
  Cycle cycles = 0;
  std::uint64_t instructions = 0;  ///< of the program, without padding
  std::uint64_t retired = 0;       ///< with padding
  Cycle last_retire = 0;           ///< of the program's last instruction that retired
  Cycle last_retire_padded = 0;    ///< of the last instruction that retired, padding included
  Accounting accounting;
  std::vector<std::string> waits_for;  ///< unless finished: what each busy unit waits for
};

class Simulation {
 public:
  Simulation(const Simulation&) = delete;
  Simulation& operator=(const Simulation&) = delete;
  virtual ~Simulation() = default;

  [[nodiscard]] Machine& machine() { return *machine_; }
  [[nodiscard]] const Machine& machine() const { return *machine_; }
  [[nodiscard]] const MachineInfo& info() const { return machine_->info(); }
  [[nodiscard]] Cycle now() const { return clock_.now; }
  [[nodiscard]] std::uint64_t period_ps() const;

  /// Receives events from the next run on; null: nobody.
  void observe(EventSink* sink) { clock_.events = sink; }
  /// Shows every cycle's signals from the next run on; null: to nobody.
  void watch(CycleWatcher* watcher) { clock_.watcher = watcher; }
  /// Receives every interval of every unit's account from the next run on; null: nobody.
  void observe_accounts(AccountObserver* observer);
  /// The same of the account of MachineInfo::time only.
  void observe_time(AccountObserver* observer);

  /// Bytes of a memory of MachineInfo::memories, as --dump writes it: with what has been written
  /// behind its end.
  [[nodiscard]] virtual std::uint64_t memory_bytes(std::size_t memory) const = 0;
  /// Some of them.
  [[nodiscard]] virtual std::vector<std::uint8_t> read_memory(std::size_t memory,
                                                              std::uint64_t address,
                                                              std::uint64_t count) = 0;

 protected:
  Simulation() = default;
  /// Once everything is built: elaborates. `patience`: cycles without any handshake after which a
  /// machine that waits for no memory is called hung.
  void start(Machine& machine, double clock_mhz, Cycle patience);

  /// Runs until the machine is idle, hangs or meets the limit. `program` begins when the accounts
  /// have begun. A run cut off by a limit or a hang leaves what is in flight to the next.
  void run(std::uint64_t instructions, const RunOptions& options, RunResult& result);
  /// An instruction retires in this cycle; in program order.
  void retired(Cycle cycle);
  /// Asked before and called after every activation in which something moved, where a driver wants
  /// to hear of every single cycle.
  std::function<void()> on_activity;
  [[nodiscard]] Cycle first_cycle() const { return run_.first; }

  // Before every module.
  KernelScope kernel_;
  Clock clock_;

 private:
  /// The run under way.
  struct Run {
    const RunOptions* options = nullptr;
    RunResult* result = nullptr;
    Cycle first = 0;
    Cycle last_activity = 0;
    std::uint64_t seen_progress = 0;
    Cycle next_report = 0;
    bool border = false;  ///< a region's last instruction retired in the present cycle
  };
  bool tick(Cycle most);
  [[nodiscard]] Cycle until_checks() const;
  [[nodiscard]] Horizon horizon() const;
  void pass_border();
  [[nodiscard]] std::uint64_t until_border() const;

  Machine* machine_ = nullptr;
  Cycle patience_ = 0;
  std::unique_ptr<ClockDriver> driver_;
  std::unique_ptr<Accountant> accountant_;
  Run run_;
};

}  // namespace tactus
