// Parameters of a simulation of a TCU, besides those of architecture and board.
#pragma once

#include "firmware/driver/tcu/simulation.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Parameters that do not shape the machine change neither cycles nor data.
[[nodiscard]] const ParameterTable<TcuSimulationConfig>& simulation_parameters();

}  // namespace tactus
