// Which units outside the TCU (instruction stream, DRAM ports) have something to do; see engine.h.
// Each has a bit.
#pragma once

#include <cstdint>

namespace tactus {

using UnitSet = std::uint32_t;

struct Agenda {
  UnitSet stirred = 0;   ///< a wire at the unit's border has changed since the last clock edge
  UnitSet turned = ~0U;  ///< the last clock edge moved what the unit's decisions look at
  /// Something moves in every cycle like the last one settled; nothing is said of what has turned.
  UnitSet moving = 0;
  UnitSet full = ~0U;             ///< the present cycle is settled in full
  std::uint64_t evaluations = 0;  ///< clock edges so far of single ones settled in full

  /// `every_unit`: settles all of them, whatever they did.
  void begin_cycle(bool every_unit) { full = every_unit ? ~0U : turned; }
  /// After it no wire changes until the next cycle.
  void begin_clock_edge() {
    full |= stirred;
    stirred = turned = 0;
  }
};

}  // namespace tactus
