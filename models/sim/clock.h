// What every unit of a design shares: the cycle number, the observer, the progress counter.
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
  EventSink* events = nullptr;      ///< null: nobody watches, and units skip building events
  CycleWatcher* watcher = nullptr;  ///< null: nobody reads signals
  /// Nothing more comes from outside: a unit that waits for work from there is done, not starved.
  bool input_ended = false;
  /// Handshakes and register moves so far. In a cycle that leaves this number as it is nothing has
  /// changed but timers.
  std::uint64_t progress = 0;
  /// Calls to memories so far; each may have given the SystemC kernel something to do.
  std::uint64_t transactions = 0;
  UnitActivity activity;
  /// Cycles are worked out for what they count and how long they take. No memory changes, no
  /// register that only holds data, and nothing outside the design.
  bool timing_only = false;
  std::uint64_t period_ps = 1;  ///< of the SystemC time that a cycle takes; set by ClockDriver
};

}  // namespace tactus
