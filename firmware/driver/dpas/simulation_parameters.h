// The tables of what a DPAS simulation is configured with, beside the board.
#pragma once

#include <vector>

#include "firmware/driver/dpas/simulation.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Of dpas::MachineParameters, without the profile. Those that shape no machine change neither
/// cycles nor data.
[[nodiscard]] const ParameterTable<dpas::MachineParameters>& dpas_machine_parameters();
/// What a profile has, as parameters that replace its values; without its number of threads, of
/// which a machine has as many as dpas_machine_parameters() says.
[[nodiscard]] const ParameterTable<dpas::MachineParameters>& dpas_profile_overrides();

}  // namespace tactus
