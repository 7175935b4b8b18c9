// Decides for one unit, cycle by cycle, how much of it has to be worked out; see engine.h.
#pragma once

#include "models/sim/clock.h"
#include "models/sim/link.h"

namespace tactus {

template <typename Unit>
class Gate {
 public:
  Gate(Clock& clock, Unit& unit) : clock_(clock), unit_(unit) {}
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;

  /// The unit looks at what the link's other end writes.
  template <typename T>
  void produces(Link<T>& link) {
    link.ready.tell(stirred_);
  }
  template <typename T>
  void consumes(Link<T>& link) {
    link.valid.tell(stirred_);
  }
  [[nodiscard]] bool stirred() const { return stirred_; }
  void watches(Wire& wire) { wire.tell(stirred_); }
  /// Something that is no wire has changed.
  void stir() { stirred_ = true; }

  /// For a unit whose drive() looks at its registers only.
  void drive() {
    full_ = clock_.settles_all || turned_;
    if (full_ || (moves_ && !unit_.redrive())) settle();
  }
  /// For one whose drive() looks at wires, too.
  void drive_from_wires() {
    full_ = clock_.settles_all || turned_ || stirred_;
    if (full_ || (moves_ && !unit_.redrive())) settle();
  }
  /// Whether the rest of the cycle's settling has to be done, too.
  [[nodiscard]] bool accepts() { return full_ = full_ || stirred_; }
  /// The clock edge; true if the cycle was settled in full.
  bool commit() {
    if (!full_ && !stirred_) {
      if (moves_) repeat();
      return false;
    }
    stirred_ = false;
    const std::uint64_t turns = clock_.turns;
    ++clock_.evaluations;
    unit_.commit();
    turned_ = clock_.turns != turns;
    moves_ = unit_.moves();
    return true;
  }
  [[nodiscard]] bool moves() const { return moves_; }
  /// repeat() by itself, in a run of cycles; false if it turned.
  bool repeat() {
    const std::uint64_t turns = clock_.turns;
    unit_.repeat();
    turned_ = clock_.turns != turns;
    return !turned_;
  }

 private:
  void settle() {
    full_ = true;
    unit_.drive();
  }

  Clock& clock_;
  Unit& unit_;
  bool stirred_ = true;  ///< a wire has changed since the last full clock edge
  bool turned_ = true;   ///< the last clock edge moved what decisions look at
  bool moves_ = false;   ///< something moves in every cycle like the last settled one
  bool full_ = true;     ///< the present cycle is settled in full
};

}  // namespace tactus
