// How much of a gated unit has to be worked out in a cycle; see engine.h. Gated units are those
// that depend on memories or programs, in the TCU's design the instruction stream and the DRAM
// ports.
//
// These are functions, and not objects that keep references, so that the compiler sees the units'
// addresses and bits as constants.
#pragma once

#include "models/sim/clock.h"
#include "models/sim/link.h"

namespace tactus {

/// The wires at the border of a unit, which stir it when they change.
class Border {
 public:
  Border(Agenda& agenda, UnitSet unit) : agenda_(agenda), unit_(unit) {}

  /// The unit looks at what the link's other end writes.
  template <typename T>
  void produces(Link<T>& link) {
    watches(link.ready);
  }
  template <typename T>
  void consumes(Link<T>& link) {
    watches(link.valid);
  }
  void watches(Wire& wire) { wire.tell(agenda_, unit_); }

 private:
  Agenda& agenda_;
  UnitSet unit_;
};

namespace gate {

/// For a unit whose drive() looks at its registers only.
template <typename Unit>
inline void drive(Agenda& agenda, UnitSet bit, Unit& unit) {
  if ((agenda.full & bit) == 0) {
    if ((agenda.moving & bit) == 0 || unit.redrive()) return;
    agenda.full |= bit;
  }
  unit.drive();
}

/// For one whose drive() looks at wires, too.
template <typename Unit>
inline void drive_from_wires(Agenda& agenda, UnitSet bit, Unit& unit) {
  agenda.full |= agenda.stirred & bit;
  drive(agenda, bit, unit);
}

/// Whether the rest of the cycle's settling has to be done, too.
inline bool accepts(Agenda& agenda, UnitSet bit) {
  agenda.full |= agenda.stirred & bit;
  return (agenda.full & bit) != 0;
}

/// repeat() by itself; false if it turned.
template <typename Unit>
inline bool repeat(Clock& clock, UnitSet bit, Unit& unit) {
  const std::uint64_t turns = clock.turns;
  unit.repeat();
  if (clock.turns == turns) return true;
  clock.agenda.turned |= bit;
  return false;
}

/// The clock edge; true if the cycle was settled in full.
template <typename Unit>
inline bool commit(Clock& clock, UnitSet bit, Unit& unit) {
  Agenda& agenda = clock.agenda;
  if ((agenda.full & bit) == 0) {
    if ((agenda.moving & bit) != 0) repeat(clock, bit, unit);
    return false;
  }
  const std::uint64_t turns = clock.turns;
  ++agenda.evaluations;
  unit.commit();
  if (clock.turns != turns) {
    agenda.turned |= bit;
  } else {
    agenda.moving = unit.moves() ? agenda.moving | bit : agenda.moving & ~bit;
  }
  return true;
}

}  // namespace gate

}  // namespace tactus
