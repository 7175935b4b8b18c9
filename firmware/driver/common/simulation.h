// A machine with its clock on its own SystemC kernel: runs programs to their end and accounts for
// their time. The derived class of a machine defines its programs, the source of program and data,
// and the figures of a run besides those of MachineInfo.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "firmware/driver/common/accounting.h"
#include "firmware/driver/common/watched_machine.h"
#include "models/sim/clock_driver.h"
#include "models/sim/kernel_scope.h"
#include "models/sim/machine.h"

namespace tactus {

/// Reason for the end of a run.
enum class RunEnd {
  finished,     ///< everything has retired and been answered
  hang,         ///< no state can change any more
  cycle_limit,  ///< RunOptions::max_cycles, or StopRun thrown by RunOptions::progress
};

struct RunOptions {
  Cycle max_cycles = 0;  ///< limit for this run; 0: no limit
  /// The retirement cycle of every instruction is appended.
  std::vector<std::uint32_t>* retire_log = nullptr;
  /// Parts of the program for which separate figures are made; in order, inside the program.
  std::vector<Region> regions;
  /// Called from time to time with the cycles and instructions of this run so far.
  std::function<void(Cycle cycles, std::uint64_t instructions)> progress;
};

/// Figures of a run of any machine. Cycles count from the run's first cycle.
struct RunResult {
  explicit RunResult(const MachineInfo& machine) : accounting(machine) {}

  RunEnd end = RunEnd::finished;
  /// Cycle of the program's last event; the end of the run if it did not finish.
  Cycle cycles = 0;
  std::uint64_t instructions = 0;  ///< instructions of the program, without padding
  std::uint64_t retired = 0;       ///< retired instructions, including padding
  Cycle last_retire = 0;         ///< cycle in which the program's last retired instruction retired
  Cycle last_retire_padded = 0;  ///< cycle of the last retirement including padding
  Accounting accounting;
  std::vector<std::string> waits_for;  ///< unless finished: what each busy unit waits for
};

class Simulation : public WatchedMachine {
 public:
  /// Size of a memory of MachineInfo::memories, as --dump writes it: including bytes written behind
  /// its end.
  [[nodiscard]] virtual std::uint64_t memory_bytes(std::size_t memory) const = 0;
  /// Reads `count` bytes of it.
  [[nodiscard]] virtual std::vector<std::uint8_t> read_memory(std::size_t memory,
                                                              std::uint64_t address,
                                                              std::uint64_t count) = 0;

 protected:
  /// `kernel`: shared by several machines, whose owner elaborates them; null: a kernel of its own.
  explicit Simulation(KernelScope* kernel = nullptr)
      : own_kernel_(kernel == nullptr ? std::make_unique<KernelScope>() : nullptr),
        kernel_(kernel == nullptr ? *own_kernel_ : *kernel) {}
  /// Call when everything is built: elaborates. `patience`: cycles without any handshake after
  /// which a machine that does not wait for memory counts as hung.
  void start(Machine& machine, double clock_mhz, Cycle patience);

  /// Runs until the machine is idle, hangs or reaches the limit. `program` starts the program after
  /// the accounts have been started. Work in flight at a limit or hang continues in the next run.
  void run(std::uint64_t instructions, const RunOptions& options, RunResult& result);
  /// Call when an instruction retires, in program order.
  void retired(Cycle cycle);
  /// If set, called after every activation with activity; the driver then simulates single cycles.
  std::function<void()> on_activity;
  [[nodiscard]] Cycle first_cycle() const { return run_.first; }

  [[nodiscard]] bool owns_kernel() const { return own_kernel_ != nullptr; }

  // Declared before all modules.
  std::unique_ptr<KernelScope> own_kernel_;  ///< null: the kernel is that of several machines
  KernelScope& kernel_;
  Clock clock_;

 private:
  /// Data of the current run.
  struct Run {
    const RunOptions* options = nullptr;
    RunResult* result = nullptr;
    Cycle first = 0;
    Cycle last_activity = 0;
    std::uint64_t seen_progress = 0;
    Cycle next_report = 0;
    bool border = false;  ///< a region's last instruction has retired in the current cycle
  };
  bool tick(Cycle most);
  [[nodiscard]] Cycle until_checks() const;
  [[nodiscard]] Horizon horizon() const;
  void pass_border();
  [[nodiscard]] std::uint64_t until_border() const;

  Cycle patience_ = 0;
  std::unique_ptr<ClockDriver> driver_;
  std::unique_ptr<Accountant> accountant_;
  Run run_;
};

}  // namespace tactus
