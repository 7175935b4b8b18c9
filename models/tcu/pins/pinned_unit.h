// What is needed to evaluate one unit of a TCU alone, at its pins.
#pragma once

#include <functional>
#include <string>

#include "models/sim/link.h"
#include "models/tcu/pins/pin_list.h"

namespace tactus {

struct PinnedUnit {
  std::string name;   ///< as in waveforms
  std::string title;  ///< in messages
  UnitSet bit = 0;    ///< in UnitActivity; 0: always awake
  std::function<void(PinList&)> pins;
  std::function<void(Border&)> border;
  std::function<void()> settle;  ///< the unit's wires, from its registers and inputs
  std::function<void()> commit;  ///< its clock edge
};

/// All but the steps. `arguments` are those of the unit's border() behind the list.
template <typename Unit, typename... Arguments>
PinnedUnit pinned_unit(const char* name, const char* title, UnitSet bit, Unit& unit,
                       Arguments&... arguments) {
  PinnedUnit pinned;
  pinned.name = name;
  pinned.title = title;
  pinned.bit = bit;
  pinned.pins = [&unit, &arguments...](PinList& list) { unit.border(list, arguments...); };
  pinned.border = [&unit, &arguments...](Border& list) { unit.border(list, arguments...); };
  return pinned;
}

}  // namespace tactus
