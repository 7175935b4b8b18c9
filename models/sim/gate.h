// Decides for one unit, cycle by cycle, how much of it has to be worked out; see engine.h.
#pragma once

#include "models/sim/clock.h"
#include "models/sim/link.h"

namespace tactus {

template <typename Unit>
class Gate {
 public:
  Gate(Clock& clock, Unit& unit)
      : clock_(clock), agenda_(clock.agenda), unit_(unit), bit_(agenda_.all + 1) {
    agenda_.all |= bit_;
    agenda_.turned |= bit_;
  }
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// The unit looks at what the link's other end writes.
  template <typename T>
  void produces(Link<T>& link) {
    watches(link.ready);
  }
  template <typename T>
  void consumes(Link<T>& link) {
    watches(link.valid);
  }
  void watches(Wire& wire) { wire.tell(agenda_, bit_); }
  /// Something that is no wire has changed.
  void stir() { agenda_.stirred |= bit_; }

  [[nodiscard]] bool stirred() const { return is_in(agenda_.stirred); }
  [[nodiscard]] bool moves() const { return is_in(agenda_.moving); }

  /// For a unit whose drive() looks at its registers only.
  void drive() {
    if (!is_in(agenda_.full)) {
      if (!moves() || unit_.redrive()) return;
      agenda_.full |= bit_;
    }
    unit_.drive();
  }
  /// For one whose drive() looks at wires, too.
  void drive_from_wires() {
    if (stirred()) agenda_.full |= bit_;
    drive();
  }
  /// Whether the rest of the cycle's settling has to be done, too.
  [[nodiscard]] bool accepts() {
    if (!is_in(agenda_.full | agenda_.stirred)) return false;
    agenda_.full |= bit_;
    return true;
  }
  /// The clock edge; true if the cycle was settled in full.
  bool commit() {
    if (!is_in(agenda_.full)) {
      if (moves()) repeat();
      return false;
    }
    const std::uint64_t turns = clock_.turns;
    unit_.commit();
    note(agenda_.turned, clock_.turns != turns);
    note(agenda_.moving, unit_.moves());
    return true;
  }
  /// repeat() by itself, in a run of cycles; false if it turned.
  bool repeat() {
    const std::uint64_t turns = clock_.turns;
    unit_.repeat();
    if (clock_.turns == turns) return true;
    agenda_.turned |= bit_;
    return false;
  }

 private:
  [[nodiscard]] bool is_in(UnitSet set) const { return (set & bit_) != 0; }
  void note(UnitSet& set, bool member) { set = member ? set | bit_ : set & ~bit_; }

  Clock& clock_;
  Agenda& agenda_;
  Unit& unit_;
  UnitSet bit_;
};

}  // namespace tactus
