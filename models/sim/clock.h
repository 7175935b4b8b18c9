// Data shared by all units of a design: cycle number, observers, progress counter.
#pragma once

#include <cstdint>

#include "models/sim/activity.h"
#include "models/sim/clock_edges.h"
#include "models/sim/engine.h"

namespace tactus {

class CycleWatcher;
class EventSink;
class Turn;

namespace trace {
class Scope;
}

/// The clock of a design. The design increments `now` at the end of a cycle; units read it and
/// count their handshakes in `progress`.
struct Clock {
  Engine engine = Engine::step;
  Cycle now = 0;
  EventSink* events = nullptr;      ///< null: there is no observer, and units make no events
  CycleWatcher* watcher = nullptr;  ///< null: signals are not read
  /// True if no more input comes from outside: a unit that waits for input is then idle, not
  /// stalled.
  bool input_ended = false;
  /// Handshakes and register changes so far. If a cycle does not change this number, only timers
  /// have changed in it.
  std::uint64_t progress = 0;
  /// Calls to memories so far. Each may have given the SystemC kernel something to do.
  std::uint64_t transactions = 0;
  Turn* turn = nullptr;  ///< null: no other design shares the memory, or the kernel wakes it
  UnitActivity activity;
  /// True while cycles are evaluated for their number and counters only. Memories, registers that
  /// contain only data, and everything outside the design then do not change.
  bool timing_only = false;
  std::uint64_t period = 1;  ///< in units of sc_time; set by ClockDriver
  /// The edges so far of a clock whose period may change; null: it is `period`. A cycle is then
  /// evaluated at the edge that ends it, so that times up to this edge are known.
  const ClockEdges* edges = nullptr;

  /// Times are in units of sc_time. Cycle t begins at edge t and ends at the next.
  [[nodiscard]] std::uint64_t time_of(Cycle edge) const {
    return edges == nullptr ? edge * period : edges->time_of(edge);
  }
  [[nodiscard]] std::uint64_t begin() const { return time_of(now); }
  [[nodiscard]] std::uint64_t end() const { return time_of(now + 1); }
  [[nodiscard]] std::uint64_t middle_of(Cycle cycle) const {
    const std::uint64_t begins = time_of(cycle);
    return begins + (time_of(cycle + 1) - begins) / 2;
  }
  /// The first cycle that begins at a time or after it; ClockEdges::unknown if its edge has not
  /// come.
  [[nodiscard]] Cycle first_cycle_from(std::uint64_t time) const {
    return edges == nullptr ? (time + period - 1) / period : edges->first_from(time);
  }
};

}  // namespace tactus
