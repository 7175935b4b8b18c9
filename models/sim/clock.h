// What every unit of a design shares: the cycle number, the observer, the progress counter.
#pragma once

#include <cstdint>

#include "models/sim/engine.h"
#include "models/sim/fast/agenda.h"

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
  /// No instruction is on its way to the decoder any more: an empty decoder is done, not starved.
  bool stream_ended = false;
  std::uint64_t progress = 0;  ///< handshakes and register moves so far; a cycle that leaves it
                               ///< unchanged changed nothing but timers
  /// Calls to memories so far; each may have given the SystemC kernel something to do.
  std::uint64_t transactions = 0;
  /// Register moves so far that decisions look at, of units outside the TCU; see engine.h.
  std::uint64_t turns = 0;
  Agenda agenda;
  std::uint64_t period_ps = 1;  ///< of the SystemC time that a cycle takes; set by ClockDriver
};

}  // namespace tactus
