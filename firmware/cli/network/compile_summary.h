// The summary and the table of layers that tactus compile prints.
#pragma once

#include <optional>

#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/simulation.h"

namespace tactus {

/// Runs a program once on a machine of its own. `inputs`: see Host::run_image; empty: generated
/// from a seed. `max_cycles`: 0 for no limit. Layers are the regions of its accounting.
[[nodiscard]] ImageResult simulate_once(const compiler::Compiled& compiled,
                                        const TcuSimulationConfig& config, const TensorData& inputs,
                                        Cycle max_cycles);

/// Simulates a program if that takes about a second at most. Returns nothing if the estimate is
/// longer or the run does not finish. Cycles do not depend on the inputs.
[[nodiscard]] std::optional<ImageResult> simulate_if_quick(const compiler::Compiled& compiled,
                                                           const TcuSimulationConfig& config);

/// `run`: a run of the program, if it was simulated; `optimised`: a run of the optimising
/// compiler's program, if it was simulated.
void print_summary(const compiler::Compiled& compiled, const TcuSimulationConfig& config,
                   const std::optional<ImageResult>& run,
                   const std::optional<ImageResult>& optimised);
void print_layers(const compiler::Compiled& compiled, const std::optional<ImageResult>& run);

}  // namespace tactus
