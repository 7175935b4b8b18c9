// Data shared by all units of a design: cycle number, observers, progress counter.
#pragma once

#include <cstdint>

#include "models/sim/activity.h"
#include "models/sim/engine.h"

namespace tactus {

class CycleWatcher;
class EventSink;

namespace trace {
class Scope;
}

/// One per design. The design counts `now` up at the end of a cycle; units read it, and count
/// their handshakes in `progress`.
struct Clock {
  Engine engine = Engine::step;
  Cycle now = 0;
  EventSink* events = nullptr;      ///< null: there is no observer, and units make no events
  CycleWatcher* watcher = nullptr;  ///< null: signals are not read
  /// No more input comes from outside: a unit that waits for it is idle, not stalled.
  bool input_ended = false;
  /// Handshakes and register moves so far. In a cycle that leaves this number as it is nothing has
  /// changed but timers.
  std::uint64_t progress = 0;
  /// Calls to memories so far; each may have given the SystemC kernel something to do.
  std::uint64_t transactions = 0;
  UnitActivity activity;
  /// Cycles are evaluated for their number and counters only: no memory changes, no register that
  /// only contains data, and nothing outside of the design.
  bool timing_only = false;
  std::uint64_t period_ps = 1;  ///< period in SystemC time; set by ClockDriver
};

}  // namespace tactus
