// How far a design may run ahead of its SystemC kernel.
#pragma once

#include "models/sim/clock.h"

namespace tactus {

/// The cycles from clock.now on that can be evaluated before the kernel has anything else to do;
/// `most` at the most. Cycle t is evaluated in its middle (clock_driver.h), so it is one of them if
/// its middle lies before the kernel's next activity.
[[nodiscard]] Cycle cycles_before_kernel(const Clock& clock, Cycle most);

}  // namespace tactus
