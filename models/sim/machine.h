// The interface of a machine: a design that runs, counts and shows itself.
//
// A machine describes itself by tables (machine_info.h). Drivers (firmware/driver/common),
// accounting and reports know only this interface; tests/support/toy_machine.h is the smallest
// example.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/events.h"
#include "models/sim/machine_info.h"
#include "models/sim/trace/signals.h"

namespace tactus {

/// Peak rates of a machine.
struct MachineRates {
  std::uint64_t macs_per_work = 0;  ///< multiply-accumulates for each count of MachineInfo::work
  std::uint64_t peak_macs = 0;      ///< multiply-accumulates per cycle
  /// Bytes of a beat at a memory port, whose peak is one beat per cycle.
  std::uint64_t beat_bytes = 0;
  std::uint64_t vector_bytes = 0;  ///< bytes of a vector
};

/// Instructions of one kind so far.
struct KindCounts {
  std::uint64_t count = 0;    ///< retired instructions
  std::uint64_t vectors = 0;  ///< vectors of these instructions
};

/// The condition of a trace.
struct TraceTrigger {
  enum class What : std::uint8_t { none, program_counter, tracepoint, timeout } what = What::none;
  std::uint64_t first = 0, last = 0;  ///< program counters
};

/// Limits up to which a machine may run without returning to its driver.
struct Horizon {
  Cycle cycle = 0;            ///< first cycle that the clock may not go beyond
  std::uint64_t retires = 0;  ///< after this number of retires on_border() or pause() is called
};

class Machine {
 public:
  virtual ~Machine() = default;
  [[nodiscard]] virtual const MachineInfo& info() const = 0;
  [[nodiscard]] virtual MachineRates rates() const = 0;

  // ---- time

  /// Evaluates at least one and at most `most` cycles and advances the clock. It continues while
  /// every cycle makes progress, no memory was called, and pause() was not called. Returns the
  /// number of cycles at the end that made no progress.
  virtual Cycle advance(Cycle most) = 0;
  virtual void pause() = 0;
  /// For the next advance(): it may continue beyond `most` up to the horizon, if the last cycle
  /// made progress.
  virtual void set_horizon(const Horizon& /*horizon*/) {}
  /// Called between two cycles, with all figures complete, when Horizon::retires have been reached,
  /// by a machine that then continues instead of pausing. Returns the next `retires`.
  std::function<std::uint64_t()> on_border;
  /// True if no more work comes and none is in flight.
  [[nodiscard]] virtual bool idle() const = 0;
  /// True if an answer of a memory is outstanding. A machine without progress is then not a hang.
  [[nodiscard]] virtual bool waits_for_memory() const = 0;
  /// Returns one line for each unit that has unfinished work.
  [[nodiscard]] virtual std::vector<std::string> waits_for() = 0;

  // ---- figures

  /// The accounts of all units, in the order of MachineInfo::units; the account of
  /// MachineInfo::time is the last.
  [[nodiscard]] virtual std::vector<Account*> accounts() = 0;
  /// All values of MachineInfo::counters, in their order.
  [[nodiscard]] virtual std::vector<std::uint64_t> counters() const = 0;
  /// Counts by kind of instruction, in the order of MachineInfo::kinds.
  [[nodiscard]] virtual std::vector<KindCounts> kind_counts() const = 0;

  // ---- what can be seen

  [[nodiscard]] virtual EventFormat event_format() const = 0;
  [[nodiscard]] virtual std::shared_ptr<const trace::Widths> widths() const = 0;
  virtual void describe(const trace::Scope& scope) const = 0;
  /// Returns a function that is called when the wires of a cycle have settled, and returns true if
  /// the trace is wanted. Empty: it is always wanted, or the machine has no such trigger.
  [[nodiscard]] virtual std::function<bool()> trigger(const TraceTrigger& trigger) const = 0;
};

}  // namespace tactus
