// The set of units that are evaluated in a cycle.
//
// A unit is *asleep* after a clock edge at which none of its registers changed: until a wire that
// it reads changes, its outputs stay the same and its next clock edge would change nothing either.
// A changed wire wakes the unit that reads it (wire.h), in the same cycle. The steps of a cycle are
// ordered so that no unit reads a wire before its value is final; so values that a unit computed
// before it was woken are still right.
//
// A unit whose outputs depend on time stays awake as long as they do. While waveforms are recorded,
// all units are awake.
#pragma once

#include <cstdint>

namespace tactus {

/// A set of units, one bit each.
using UnitSet = std::uint32_t;

struct UnitActivity {
  static constexpr UnitSet all = ~UnitSet{0};
  /// Units that are evaluated in the current cycle or, between two cycles, in the next one.
  UnitSet awake = all;
  std::uint64_t evaluations = 0;  ///< number of evaluations of units so far

  [[nodiscard]] bool is_awake(UnitSet unit) const { return (awake & unit) != 0; }
  void wake(UnitSet units) { awake |= units; }
  void sleep(UnitSet units) { awake &= ~units; }
};

}  // namespace tactus
