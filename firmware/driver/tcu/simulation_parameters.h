// The table of a simulation's parameters, besides architecture and board.
#pragma once

#include "firmware/driver/tcu/simulation.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Parameters that do not shape the machine change neither cycles nor data.
[[nodiscard]] const ParameterTable<TcuSimulationConfig>& simulation_parameters();

}  // namespace tactus
