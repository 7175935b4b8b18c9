// Observer of the wires and registers of a design, cycle by cycle.
#pragma once

#include "models/sim/clock.h"

namespace tactus {

/// Registers change at the end of a cycle, and some wires are complete only then. To see all values
/// of one cycle, a watcher reads registers when the wires have settled, and wires at the cycle's
/// end.
class CycleWatcher {
 public:
  virtual ~CycleWatcher() = default;
  /// The first cycle from `now` on that the watcher needs. Earlier cycles need not be shown.
  [[nodiscard]] virtual Cycle next(Cycle now) const { return now; }
  /// Called when all wires that a clock edge depends on have settled, before the clock edge.
  virtual void settled(Cycle now) = 0;
  /// Called after the clock edge. Registers have their new values; wires, and data that they point
  /// to, are still those of the cycle that has ended.
  virtual void committed(Cycle now) = 0;
};

}  // namespace tactus
