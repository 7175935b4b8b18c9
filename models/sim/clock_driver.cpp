#include "models/sim/clock_driver.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "isa/support/error.h"
#include "models/sim/kernel_time.h"

namespace tactus {
namespace {

/// Limit on the cycles of one activation, so that kernel time is never far behind.
constexpr Cycle most_ahead = 1024;

}  // namespace

Cycle cycles_before_kernel(const Clock& clock, Cycle most) {
  if (!sc_core::sc_pending_activity()) return most;
  if (sc_core::sc_pending_activity_at_current_time()) return 0;
  const std::uint64_t next =
      (sc_core::sc_time_stamp() + sc_core::sc_time_to_pending_activity()).value();
  const std::uint64_t half = (clock.period + 1) / 2;
  const std::uint64_t present = clock.now * clock.period + half;
  if (next <= present) return 0;
  return std::min(most, (next - present + clock.period - 1) / clock.period);
}

namespace {

std::uint64_t resolution_fs() {
  return static_cast<std::uint64_t>(
      std::llround(sc_core::sc_get_time_resolution().to_seconds() * 1e15));
}

}  // namespace

std::uint64_t femtoseconds(std::uint64_t kernel_units) { return kernel_units * resolution_fs(); }

std::uint64_t kernel_units(std::uint64_t ps, const char* what) {
  const std::uint64_t fs = ps * 1000, unit = resolution_fs();
  if (fs % unit != 0) {
    user_error(
        "{}: {} ps; the time resolution of the simulation, {}, cannot hold it: allowed "
        "whole multiples",
        what, ps, sc_core::sc_get_time_resolution().to_string());
  }
  return fs / unit;
}

ClockDriver::ClockDriver(const sc_core::sc_module_name& name, Clock& clock, sc_core::sc_time period,
                         std::function<bool(Cycle)> cycle, bool waits)
    : sc_module(name), clock_(clock), period_(period), cycle_(std::move(cycle)), waits_(waits) {
  clock.period = period.value();
  if (waits) {
    SC_THREAD(run_thread);
  } else {
    SC_METHOD(tick);
  }
  sensitive << wake_;
}

void ClockDriver::tick() {
  // The first activation does nothing. It gives an elaborating sc_start() some activity, without
  // which SystemC warns.
  if (!running_) return;
  const Cycle first = clock_.now;
  if (activate()) {
    next_trigger(sc_core::sc_time::from_value((clock_.now - first) * period_.value()));
  }
}

void ClockDriver::run_thread() {
  for (;;) {
    wait();
    while (activate()) wait(until_middle());
  }
}

/// Runs the cycles of one activation, and ends the run behind the last. Returns true if there are
/// more.
bool ClockDriver::activate() {
  bool more = false;
  try {
    more = go_on();
  } catch (const sc_core::sc_unwind_exception&) {
    throw;  // the thread is killed
  } catch (...) {
    running_ = false;
    if (!owns_kernel_ && !is_awaited_) throw;
    error_ = std::current_exception();
  }
  if (more) return true;
  running_ = false;
  if (owns_kernel_) sc_core::sc_pause();
  if (is_awaited_) ended_.notify();
  return false;
}

/// Evaluates the cycles of one activation.
bool ClockDriver::go_on() {
  const Cycle first = clock_.now;
  bool more = true;
  // The current cycle is due, whatever else the kernel has to do.
  if (waits_) return cycle_(1);
  Cycle end = first + std::max<Cycle>(1, cycles_before_kernel(clock_, most_ahead));
  std::uint64_t seen = clock_.transactions;
  do {
    more = cycle_(end - clock_.now);
    if (clock_.transactions == seen) continue;
    seen = clock_.transactions;
    end = clock_.now + cycles_before_kernel(clock_, first + most_ahead - clock_.now);
  } while (more && clock_.now < end);
  return more;
}

sc_core::sc_time ClockDriver::until_middle() const {
  const std::uint64_t half = (period_.value() + 1) / 2;
  const auto middle = sc_core::sc_time::from_value(clock_.now * period_.value() + half);
  if (middle < sc_core::sc_time_stamp()) {
    internal_error("a design that stands at cycle {} cannot begin at {}", clock_.now,
                   sc_core::sc_time_stamp().to_string());
  }
  return middle - sc_core::sc_time_stamp();
}

void ClockDriver::wake() {
  running_ = true;
  wake_.notify(until_middle());
}

void ClockDriver::run() {
  is_awaited_ = sc_core::sc_get_status() == sc_core::SC_RUNNING;
  if (is_awaited_ && clock_.turn != nullptr) {
    while (go_on()) {
    }
    is_awaited_ = false;
    return;
  }
  owns_kernel_ = !is_awaited_;
  wake();
  if (is_awaited_) {
    while (running_) sc_core::wait(ended_);
    is_awaited_ = false;
  } else {
    sc_core::sc_start();
  }
  if (error_ != nullptr) std::rethrow_exception(std::exchange(error_, nullptr));
}

void ClockDriver::begin() {
  owns_kernel_ = false;
  wake();
}

sc_core::sc_time clock_period(double megahertz) {
  const double picoseconds = std::max(2.0, std::round(1e6 / megahertz));
  return {picoseconds, sc_core::SC_PS};
}

}  // namespace tactus

// Debian's libsystemc refers to sc_main even when a program has its own main(), as Tactus does.
// The function is weak, so that a program that embeds the models may define a real one.
// NOLINTNEXTLINE(readability-redundant-declaration): SystemC's header declares it without `weak`
extern "C" __attribute__((weak)) int sc_main(int, char**);
int sc_main(int, char**) { return 0; }
