// A machine with its clock on a SystemC kernel. It runs programs to their end and accounts for
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
  finished,     ///< everything has retired, and all memory accesses are answered
  hang,         ///< no state can change any more
  cycle_limit,  ///< RunOptions::max_cycles is reached, or RunOptions::progress has thrown StopRun
};

struct RunOptions {
  Cycle max_cycles = 0;  ///< limit for this run; 0: no limit
  /// Receives the cycle in which each instruction retires, without padding. Cycles are those of the
  /// machine's clock, which goes on from run to run. Null: no log.
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
  /// Cycle of the last event of a finished run: its last retirement, padding included, or, on a
  /// TCU, a later write response. The end of the run if it did not finish.
  Cycle cycles = 0;
  std::uint64_t instructions = 0;  ///< instructions of the program, without padding
  std::uint64_t retired = 0;       ///< retired instructions, including padding
  Cycle last_retire = 0;           ///< cycle of the last retirement of the program's instructions
  Cycle last_retire_padded = 0;    ///< cycle of the last retirement, padding included
  Accounting accounting;
  std::vector<std::string> waits_for;  ///< unless finished: what each busy unit waits for
};

/// Message about a run that did not finish: the reason, and what each unit waits for. `limit` is
/// the cycle limit as it was given, such as "--max-cycles 9".
[[nodiscard]] std::string stuck_text(const RunResult& result, const std::string& limit);

class Simulation : public WatchedMachine {
 public:
  /// Size in bytes of a memory of MachineInfo::memories, as --dump writes it. It includes bytes
  /// written beyond the memory's depth.
  [[nodiscard]] virtual std::uint64_t memory_bytes(std::size_t memory) const = 0;
  /// Reads `count` bytes of a memory of MachineInfo::memories.
  [[nodiscard]] virtual std::vector<std::uint8_t> read_memory(std::size_t memory,
                                                              std::uint64_t address,
                                                              std::uint64_t count) = 0;

 protected:
  /// With `kernel` several machines share it, and their owner elaborates them. If `kernel` is null,
  /// the machine has a kernel of its own.
  explicit Simulation(KernelScope* kernel = nullptr)
      : own_kernel_(kernel == nullptr ? std::make_unique<KernelScope>() : nullptr),
        kernel_(kernel == nullptr ? *own_kernel_ : *kernel) {}
  /// Completes the machine: makes the clock, and elaborates if the kernel is its own. Call it when
  /// everything else is built. `patience` is the number of cycles without any handshake after which
  /// a machine that does not wait for memory counts as hung.
  /// `waits`: a cycle of the machine waits in SystemC time (ClockDriver).
  void start(Machine& machine, double clock_mhz, Cycle patience, bool waits = false);

  /// Runs until the machine is idle, hangs or reaches the limit; the derived class has started the
  /// program. `instructions` is its length without padding. Work in flight at a limit or hang
  /// continues in the next run.
  void run(std::uint64_t instructions, const RunOptions& options, RunResult& result);
  /// Records the retirement of an instruction. Call it in program order.
  void retired(Cycle cycle);
  /// If set, it is called after every cycle with a handshake, and no cycles are skipped.
  std::function<void()> on_activity;
  [[nodiscard]] Cycle first_cycle() const { return run_.first; }

  [[nodiscard]] bool owns_kernel() const { return own_kernel_ != nullptr; }

  // The kernel is declared before all modules, so that it is destroyed after them.
  std::unique_ptr<KernelScope> own_kernel_;  ///< null: several machines share the kernel
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
    bool border = false;  ///< true: a region's last instruction has retired in the current cycle
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
