// What every unit of a design shares: the cycle number, the observer, the progress counter.
#pragma once

#include <cstdint>

namespace tactus {

/// Cycle 0 is the first cycle after reset; a cycle spans one rising edge to the next.
using Cycle = std::uint64_t;

class CycleWatcher;
class EventSink;

namespace trace {
class Scope;
}

/// One per design. The design's tick writes `now`; units read it and count their handshakes.
struct Clock {
  Cycle now = 0;
  EventSink* events = nullptr;      ///< null: nobody watches, and units skip building events
  CycleWatcher* watcher = nullptr;  ///< null: nobody reads signals
  /// No instruction is on its way to the decoder any more: an empty decoder is done, not starved.
  bool stream_ended = false;
  std::uint64_t progress = 0;  ///< handshakes and register moves so far; a cycle that leaves it
                               ///< unchanged changed nothing but timers
};

}  // namespace tactus
