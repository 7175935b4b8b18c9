// Engine check: evaluates some of the units and cycles that the fast engine leaves out, and stops
// at the first difference. Known intervals are compared in fast/sequence_checks.cpp.
#include "isa/support/error.h"
#include "models/sim/left_out.h"
#include "models/tcu/system.h"

namespace tactus {

/// Call when the wires of the cycle have settled. Settles the wires of the sleeping units, too, so
/// that all units have a clock edge.
void TcuSystem::wake_for_check() {
  checks_.asleep = all_units & ~clock_.activity.awake;
  clock_.activity.wake(all_units);
  settle();
}

/// Call after the clock edge. Checks that no unit that slept has changed.
void TcuSystem::check_sleep() {
  const UnitSet awake = clock_.activity.awake & all_units;
  // A Configure wakes all units.
  if ((awake & checks_.asleep) == 0 || awake == all_units) return;
  std::string names;
  const auto name = [&](UnitSet unit, const char* text) {
    if ((awake & checks_.asleep & unit) == 0) return;
    names += (names.empty() ? "" : ", ") + std::string(text);
  };
  name(stream_unit, "stream");
  name(dram0_unit, "dram0");
  name(dram1_unit, "dram1");
  tcu_.name_units(name);
  internal_error("engine check: in cycle {} a register changes in a unit that is asleep: {}",
                 clock_.now, names);
}

/// Evaluates cycles that could have been skipped.
void TcuSystem::check_skip(Cycle cycles) {
  const LeftOutCycles left_out(accounts(), clock_);
  for (const Cycle end = clock_.now + cycles; clock_.now < end;) {
    clock_.activity.wake(all_units);
    cycle();
    left_out.check(clock_.now - 1);
  }
}

}  // namespace tactus
