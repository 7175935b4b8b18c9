// The table of what a simulation is configured with, beside architecture and board.
#pragma once

#include "firmware/driver/tcu/simulation.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Those that shape no machine change neither cycles nor data.
[[nodiscard]] const ParameterTable<TcuSimulationConfig>& simulation_parameters();

}  // namespace tactus
