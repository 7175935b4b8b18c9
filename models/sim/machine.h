// The interface of a machine: a design that runs, counts and shows itself.
//
// It describes itself by tables (machine_info.h). What drives it (firmware/driver/common), accounts
// for its cycles and reports about it knows no more than this; tests/support/toy_machine.h is the
// smallest example.
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

/// What rates are measured against.
struct MachineRates {
  std::uint64_t macs_per_work = 0;  ///< multiply-accumulates for each count of MachineInfo::work
  std::uint64_t peak_macs = 0;      ///< a cycle
  std::uint64_t beat_bytes = 0;     ///< of a memory port; one beat a cycle is the peak
  std::uint64_t vector_bytes = 0;   ///< of what instructions move
};

/// Instructions of one kind so far.
struct KindCounts {
  std::uint64_t count = 0;    ///< that retired
  std::uint64_t vectors = 0;  ///< of those
};

/// When a trace is wanted.
struct TraceTrigger {
  enum class What : std::uint8_t { none, program_counter, tracepoint, timeout } what = What::none;
  std::uint64_t first = 0, last = 0;  ///< program counters
};

/// How far nobody has to hear of a machine that makes progress.
struct Horizon {
  Cycle cycle = 0;            ///< first cycle that the clock may not go beyond
  std::uint64_t retires = 0;  ///< after so many more, on_border() or pause() is called
};

class Machine {
 public:
  virtual ~Machine() = default;
  [[nodiscard]] virtual const MachineInfo& info() const = 0;
  [[nodiscard]] virtual MachineRates rates() const = 0;

  // ---- time

  /// Evaluates one or more cycles, `most` at the most, and moves the clock behind them: it goes on
  /// while every cycle makes progress, no memory was called and nobody called pause(). Returns how
  /// many cycles, the last ones, made no progress.
  virtual Cycle advance(Cycle most) = 0;
  virtual void pause() = 0;
  /// For the next advance(): up to the horizon it may go on beyond `most`, if the last of these
  /// cycles made progress.
  virtual void set_horizon(const Horizon& /*horizon*/) {}
  /// Called between two cycles, with all figures complete, by a machine that goes on where
  /// Horizon::retires are over and that would be paused otherwise. Returns the next `retires`.
  std::function<std::uint64_t()> on_border;
  /// There is nothing to come and nothing in flight.
  [[nodiscard]] virtual bool idle() const = 0;
  /// A memory still owes an answer: a machine that rests does not hang.
  [[nodiscard]] virtual bool waits_for_memory() const = 0;
  /// One line for each unit that is in the middle of something.
  [[nodiscard]] virtual std::vector<std::string> waits_for() = 0;

  // ---- figures

  /// The accounts of all units, in the order of MachineInfo::units; the account of
  /// MachineInfo::time is the last.
  [[nodiscard]] virtual std::vector<Account*> accounts() = 0;
  /// All values of MachineInfo::counters, in their order.
  [[nodiscard]] virtual std::vector<std::uint64_t> counters() const = 0;
  /// By MachineInfo::kinds.
  [[nodiscard]] virtual std::vector<KindCounts> kind_counts() const = 0;

  // ---- what can be seen

  [[nodiscard]] virtual EventFormat event_format() const = 0;
  [[nodiscard]] virtual std::shared_ptr<const trace::Widths> widths() const = 0;
  virtual void describe(const trace::Scope& scope) const = 0;
  /// Asked when the wires of a cycle have settled: whether it is wanted. Empty: always, or the
  /// machine has no such trigger.
  [[nodiscard]] virtual std::function<bool()> trigger(const TraceTrigger& trigger) const = 0;
};

}  // namespace tactus
