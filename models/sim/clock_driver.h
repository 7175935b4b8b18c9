// Drives a design on the SystemC kernel with one process.
//
// run() starts the kernel and pauses it at the end. If a thread calls run() while the kernel runs,
// the thread waits instead. begin() is for a design inside a larger one: the process runs by itself
// until no work is left.
#pragma once

#include <exception>
#include <functional>

#include <systemc>

#include "models/sim/clock.h"

namespace tactus {

/// Cycle t spans [t, t+1) periods of SystemC time and is evaluated in its middle. It sees what
/// another module does at its beginning, and its own handshakes take effect at its end, (t+1)
/// periods.
class ClockDriver final : public sc_core::sc_module {
 public:
  using SC_CURRENT_USER_MODULE = ClockDriver;  // what SC_HAS_PROCESS defines before SystemC 3

  /// `cycle` evaluates cycle clock.now and any number of cycles after it, at most as many as it is
  /// given in all. It advances clock.now, and returns true if it should be called again.
  /// A `cycle` that waits is called in a thread, for one cycle at a time, and returns before the
  /// middle of cycle clock.now.
  ClockDriver(const sc_core::sc_module_name& name, Clock& clock, sc_core::sc_time period,
              std::function<bool(Cycle)> cycle, bool waits = false);

  /// Runs until `cycle` returns false. Passes on exceptions of `cycle`. May be called repeatedly.
  /// While a thread waits in run(), other designs run. A design that takes turns (turns.h) runs in
  /// the thread itself.
  void run();
  /// Begins with cycle clock.now, whose middle must not be over. `cycle` returns false when no work
  /// is left. An exception of `cycle` ends the kernel's run.
  void begin();
  [[nodiscard]] bool running() const { return running_; }

  [[nodiscard]] const sc_core::sc_time& period() const { return period_; }

 private:
  void tick();
  void run_thread();
  bool activate();
  bool go_on();
  [[nodiscard]] sc_core::sc_time until_middle() const;
  void wake();

  Clock& clock_;
  sc_core::sc_time period_;
  std::function<bool(Cycle)> cycle_;
  bool waits_;  ///< `cycle` does
  bool running_ = false;
  bool owns_kernel_ = false;
  bool is_awaited_ = false;  ///< a thread waits in run()
  sc_core::sc_event wake_, ended_;
  std::exception_ptr error_;
};

/// Period of a clock, in whole picoseconds (SystemC's resolution); megahertz > 0.
[[nodiscard]] sc_core::sc_time clock_period(double megahertz);

}  // namespace tactus
