#include "models/sim/clock_driver.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tactus {
namespace {

/// Cycles in one activation, so that kernel time is never far behind.
constexpr Cycle most_ahead = 1024;

}  // namespace

ClockDriver::ClockDriver(const sc_core::sc_module_name& name, Clock& clock, sc_core::sc_time period,
                         std::function<bool(Cycle)> cycle)
    : sc_module(name), clock_(clock), period_(period), cycle_(std::move(cycle)) {
  SC_METHOD(tick);
  sensitive << wake_;
}

void ClockDriver::tick() {
  // The activation at initialisation does nothing but give an elaborating sc_start() some activity,
  // without which SystemC warns.
  if (!running_) return;
  try {
    const Cycle first = clock_.now;
    bool more = true;
    bool alone = !sc_core::sc_pending_activity();  // nothing else is to run in this kernel
    std::uint64_t seen = ~clock_.transactions;
    do {
      more = cycle_(alone ? most_ahead - (clock_.now - first) : 1);
      if (clock_.transactions == seen) continue;
      seen = clock_.transactions;
      alone = !sc_core::sc_pending_activity();
    } while (more && alone && clock_.now - first < most_ahead);
    if (more) {
      next_trigger(period_ * static_cast<double>(clock_.now - first));
      return;
    }
  } catch (...) {
    error_ = std::current_exception();
  }
  running_ = false;
  sc_core::sc_pause();
}

void ClockDriver::run() {
  running_ = true;
  const sc_core::sc_time middle = period_ * static_cast<double>(clock_.now) + period_ / 2.0;
  wake_.notify(middle - sc_core::sc_time_stamp());
  sc_core::sc_start();
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

sc_core::sc_time clock_period(double megahertz) {
  const double picoseconds = std::max(2.0, std::round(1e6 / megahertz));
  return {picoseconds, sc_core::SC_PS};
}

}  // namespace tactus

// Debian's libsystemc refers to sc_main even when a program has its own main(), as Tactus does.
// Weak, so that a program that embeds the models may bring a real one.
extern "C" __attribute__((weak)) int sc_main(int, char**);
int sc_main(int, char**) { return 0; }
