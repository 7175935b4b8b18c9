// The tables of a run's own parameters: what is run, how, and what of it is recorded.
#pragma once

#include <vector>

#include "firmware/cli/run/run_plan.h"
#include "isa/support/parameter.h"

namespace tactus {

/// Names of files; inputs of a model, which may be several, are not among them.
[[nodiscard]] const ParameterTable<Workload>& workload_parameters();
[[nodiscard]] const ParameterTable<Sampling>& sampler_parameters();
[[nodiscard]] const ParameterTable<TimelineOptions>& timeline_parameters();

/// Everything that `tactus explain run` tells, a section for each heading of the help.
[[nodiscard]] std::vector<ParameterSection> run_sections();

}  // namespace tactus
