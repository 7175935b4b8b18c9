// Tables of a run's own parameters: what is run, how, and what is recorded.
#pragma once

#include <vector>

#include "firmware/cli/run/run_plan.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Parameters that name files. Inputs of a model are not among them, since there may be several.
[[nodiscard]] const ParameterTable<Workload>& workload_parameters();
[[nodiscard]] const ParameterTable<Sampling>& sampler_parameters();

/// All sections of `tactus explain run`, one for each heading of the help.
[[nodiscard]] std::vector<ParameterSection> run_sections();

}  // namespace tactus
