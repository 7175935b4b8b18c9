// A TcuDevice whose cycles are those of a clock signal.
#include <utility>

#include "isa/support/error.h"
#include "models/tcu/device/tcu_device.h"

namespace tactus {

/// Called when the port is known to be bound.
void TcuDevice::follow_clock() {
  if (names_period_) {
    user_error(
        "{}: its port clock is bound, and Config::period says {}; allowed is one of them, since "
        "the signal has the period",
        name(), config_.period.to_string());
  }
  if (config_.trusts_dmi) {
    user_error(
        "{}: its port clock is bound, and trusts_dmi is set; allowed without trusts_dmi, since "
        "latencies in cycles change with the signal's period",
        name());
  }
  system_.keep_to_steps();
  clock_.edges = &edges_;
}

void TcuDevice::end_of_elaboration() {
  if (!follows_clock()) return;
  // Modules in the place of units settle in delta cycles, for which a thread has to wait.
  if (config_.system.own_units.empty()) {
    SC_METHOD(step);
  } else {
    SC_THREAD(step_in_thread);
  }
  sensitive << clock->posedge_event();
  dont_initialize();
}

/// Modules in the place of units see their reset and the first cycles at the beginning.
void TcuDevice::start_of_simulation() {
  if (!follows_clock() && !config_.system.own_units.empty()) wake();
}

void TcuDevice::step_in_thread() {
  for (;;) {
    step();
    wait();
  }
}

/// Evaluates the cycle that ends with the present edge, and begins the next.
void TcuDevice::step() {
  const std::uint64_t now = sc_core::sc_time_stamp().value();
  if (edges_.is_at(now)) {
    SC_REPORT_ERROR(device_message_type,
                    fmt::format("{}: two rising edges of clock at {}; allowed is one at a time",
                                name(), sc_core::sc_time_stamp().to_string())
                        .c_str());
    return;
  }
  edges_.add(now);
  is_stepping_ = true;
  reporting(false, [this] {
    if (edges_.count() == 1) return true;  // cycle 0 begins
    if (is_awake_) {
      is_awake_ = false;
      is_awake_ = tick(1);
    } else {
      system_.advance(1);
    }
    return true;
  });
  is_stepping_ = false;
  reporting(false, [this] {
    for (const auto& change : std::exchange(in_next_cycle_, {})) change();
    return true;
  });
  if (!changes_.empty() && changes_.begin()->first <= now) update_interrupt();
  stepped_.notify();
}

/// An access at the time of an edge finds the state behind it. A method cannot wait for that.
void TcuDevice::wait_for_step() {
  if (sc_core::sc_get_current_process_handle().proc_kind() == sc_core::SC_METHOD_PROC_) return;
  if (clock->posedge() && !edges_.is_at(sc_core::sc_time_stamp().value())) {
    wait(sc_core::SC_ZERO_TIME);
  }
  while (is_stepping_) wait(stepped_);
}

}  // namespace tactus
