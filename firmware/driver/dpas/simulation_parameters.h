// Parameters of a simulation of a machine with a DPAS array, besides those of the board.
#pragma once

#include "firmware/driver/dpas/simulation.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Parameters of dpas::MachineParameters, without the profile. Parameters that do not shape the
/// machine change neither cycles nor data.
[[nodiscard]] const ParameterTable<dpas::MachineParameters>& dpas_machine_parameters();
/// Parameters that replace single values of a profile. The profile's number of threads is not among
/// them, since dpas_machine_parameters() sets how many are used.
[[nodiscard]] const ParameterTable<dpas::MachineParameters>& dpas_profile_overrides();

}  // namespace tactus
