// Layers of a run as windows of waveform and timeline.
#pragma once

#include <string>
#include <vector>

#include "firmware/cli/run/run_plan.h"

namespace tactus {

/// The option --trace-layer or --timeline-layer; `of` is "trace" or "timeline".
[[nodiscard]] Args::Option layer_option(const std::string& of);
/// Reads both options. Throws UserError for an unknown layer, and if another window is given, too.
void plan_layer_windows(const Args& args, RunPlan& plan);

/// Sets the plan's windows to the cycles of the layers of --trace-layer and --timeline-layer.
/// Simulates the first image for it; all runs of a plan take the same cycles. Throws UserError if
/// the layer has no cycles.
void use_layer_windows(RunPlan& plan);

}  // namespace tactus
