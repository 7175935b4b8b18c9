// Drives a design on the SystemC kernel with one process.
//
// run() starts the kernel and pauses it at the end. If a thread calls it while the kernel runs,
// that thread waits instead. begin() is for a design inside of a larger one: the process runs by
// itself until there is no more work.
#pragma once

#include <exception>
#include <functional>

#include <systemc>

#include "models/sim/clock.h"

namespace tactus {

/// Cycle t spans [t, t+1) periods of SystemC time and is evaluated in its middle: whatever another
/// module does at the cycle's beginning is visible in it, and the cycle's own handshakes take
/// effect at its end, (t+1) periods.
class ClockDriver final : public sc_core::sc_module {
 public:
  SC_HAS_PROCESS(ClockDriver);

  /// `cycle` evaluates cycle clock.now and as many after it as it likes, up to the number it is
  /// given, counts clock.now up, and returns whether to go on.
  ClockDriver(const sc_core::sc_module_name& name, Clock& clock, sc_core::sc_time period,
              std::function<bool(Cycle)> cycle);

  /// Runs until `cycle` returns false. Exceptions of `cycle` are passed on. May be called
  /// repeatedly. While a thread waits in it, other designs run.
  void run();
  /// Begins with cycle clock.now, whose middle is not over; `cycle` returns false when there is no
  /// more to do. What it throws ends the kernel's run.
  void begin();
  [[nodiscard]] bool running() const { return running_; }

  [[nodiscard]] const sc_core::sc_time& period() const { return period_; }

 private:
  void tick();
  bool go_on();
  void wake();

  Clock& clock_;
  sc_core::sc_time period_;
  std::function<bool(Cycle)> cycle_;
  bool running_ = false;
  bool owns_kernel_ = false;
  bool is_awaited_ = false;  ///< a thread waits in run()
  sc_core::sc_event wake_, ended_;
  std::exception_ptr error_;
};

/// Period of a clock, in whole picoseconds (SystemC's resolution); megahertz > 0.
[[nodiscard]] sc_core::sc_time clock_period(double megahertz);

}  // namespace tactus
