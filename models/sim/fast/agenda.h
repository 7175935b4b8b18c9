// Which gated units (gate.h) have something to do in a cycle. Each of them has a bit in the sets.
#pragma once

#include <cstdint>

namespace tactus {

using UnitSet = std::uint32_t;

struct Agenda {
  UnitSet stirred = 0;   ///< a wire at the unit's border has changed since the last clock edge
  UnitSet turned = ~0U;  ///< the last clock edge moved a register that the unit's decisions look at
  /// Units in which data or counters move in every cycle until they turn or are stirred. Set after
  /// a cycle that was settled in full without a turn; says nothing of a unit that has turned since.
  UnitSet moving = 0;
  UnitSet full = ~0U;             ///< the units whose present cycle is settled in full
  std::uint64_t evaluations = 0;  ///< how many times so far a unit's cycle was settled in full

  /// `every_unit`: all of them settle the cycle in full, and not only those that turned.
  void begin_cycle(bool every_unit) { full = every_unit ? ~0U : turned; }
  /// From here on no wire changes until the next cycle.
  void begin_clock_edge() {
    full |= stirred;
    stirred = turned = 0;
  }
};

}  // namespace tactus
