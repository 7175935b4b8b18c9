// Which units of a design have something to do; see engine.h. Every unit has a bit.
#pragma once

#include <cstdint>

namespace tactus {

using UnitSet = std::uint32_t;

struct Agenda {
  UnitSet all = 0;         ///< the units there are
  UnitSet stirred = 0;     ///< a wire at the unit's border has changed since the last clock edge
  UnitSet turned = 0;      ///< the last clock edge moved what the unit's decisions look at
  UnitSet moving = 0;      ///< something moves in every cycle like the last one settled
  UnitSet full = ~0U;      ///< the present cycle is settled in full
  bool every_unit = true;  ///< in every cycle, whatever the unit does

  void begin_cycle() { full = every_unit ? ~0U : turned; }
  /// After it no wire changes until the next cycle.
  void begin_clock_edge() {
    full |= stirred;
    stirred = 0;
  }
};

}  // namespace tactus
