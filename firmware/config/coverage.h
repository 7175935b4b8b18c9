// States the basis of a run's accuracy: which parts of its machine were compared with recordings of
// the RTL or with measured boards, and which are modelled only.
#pragma once

#include <string>

#include "firmware/driver/tcu/simulation.h"

namespace tactus {

/// One line, such as "array size 24: modelled from the RTL's source, not compared with recordings;
/// memory ...". `units` is the number of TCUs behind one memory.
[[nodiscard]] std::string coverage_text(const TcuSimulationConfig& config, unsigned units = 1);

}  // namespace tactus
