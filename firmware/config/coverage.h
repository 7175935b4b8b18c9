// What the accuracy of a run rests on, in one line: what of its machine was compared with
// recordings of the RTL and with measured boards, and what is modelled only.
#pragma once

#include <string>

#include "firmware/driver/tcu/simulation.h"

namespace tactus {

/// "array size 24: modelled from the RTL's source, not compared with recordings; memory ...".
[[nodiscard]] std::string coverage_text(const TcuSimulationConfig& config);

}  // namespace tactus
