// Number of cycles by which a design may run ahead of its SystemC kernel.
#pragma once

#include "models/sim/clock.h"

namespace tactus {

/// Number of cycles from clock.now on, at most `most`, that can be evaluated before the kernel's
/// next activity. Cycle t is evaluated in its middle (clock_driver.h), so it counts if its middle
/// is before that activity.
[[nodiscard]] Cycle cycles_before_kernel(const Clock& clock, Cycle most);

}  // namespace tactus
