// Which units are evaluated in a cycle.
//
// A unit *sleeps* after a clock edge at which none of its registers moved: as long as no wire at
// its border changes, its outputs stay as they are, and its next clock edge would do nothing again.
// A wire that changes wakes the unit that looks at it (wire.h), in the same cycle; the steps of the
// cycle are ordered such that no unit looks at a wire before its value is final, so what a unit has
// worked out before it was woken still holds.
//
// A unit whose outputs depend on the time stays awake as long as they do. Waveforms are recorded
// with every unit awake.
#pragma once

#include <cstdint>

namespace tactus {

/// A set of units, one bit each.
using UnitSet = std::uint32_t;

struct UnitActivity {
  static constexpr UnitSet all = ~UnitSet{0};
  /// Units that are evaluated in the present cycle, or, between cycles, in the coming one.
  UnitSet awake = all;
  std::uint64_t evaluations = 0;  ///< units evaluated so far, one for each of their cycles

  [[nodiscard]] bool is_awake(UnitSet unit) const { return (awake & unit) != 0; }
  void wake(UnitSet units) { awake |= units; }
  void sleep(UnitSet units) { awake &= ~units; }
};

}  // namespace tactus
