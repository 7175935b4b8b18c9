// The kernel's time: conversions of its unit, which is SystemC's time resolution, and the number of
// cycles by which a design may run ahead of it.
//
// Models compute with times in the kernel's unit (sc_time::value()). These functions are the only
// ones that know how long it is.
#pragma once

#include <cstdint>

#include <systemc>

#include "models/sim/clock.h"

namespace tactus {

/// Number of cycles from clock.now on, at most `most`, that can be evaluated before the kernel's
/// next activity. Cycle t is evaluated in its middle (clock_driver.h), so it counts if its middle
/// is before that activity.
[[nodiscard]] Cycle cycles_before_kernel(const Clock& clock, Cycle most);

/// A time, or a number of the kernel's units, in femtoseconds, the finest time resolution.
[[nodiscard]] std::uint64_t femtoseconds(std::uint64_t kernel_units);
[[nodiscard]] inline std::uint64_t femtoseconds(const sc_core::sc_time& time) {
  return femtoseconds(time.value());
}
/// The kernel's units of a time in ps. Throws UserError, which names `what`, if the time resolution
/// cannot hold it.
[[nodiscard]] std::uint64_t kernel_units(std::uint64_t ps, const char* what);

}  // namespace tactus
