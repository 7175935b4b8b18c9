// Parameter tables of a DPAS simulation, besides those of the board.
#pragma once

#include "firmware/driver/dpas/simulation.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Parameters of dpas::MachineParameters, without the profile. Those that do not shape the machine
/// change neither cycles nor data.
[[nodiscard]] const ParameterTable<dpas::MachineParameters>& dpas_machine_parameters();
/// Values of a profile as parameters that replace them. Excludes the profile's number of threads,
/// since dpas_machine_parameters() sets how many are used.
[[nodiscard]] const ParameterTable<dpas::MachineParameters>& dpas_profile_overrides();

}  // namespace tactus
