// What tactus compile prints of a program: the summary and the table of layers.
#pragma once

#include <optional>

#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/simulation.h"

namespace tactus {

/// Runs a program once on a machine of its own. `inputs`: see Host::run_image; empty: seeded ones.
/// `max_cycles`: 0 for no limit. Layers are the regions of its accounting.
[[nodiscard]] TcuRunResult simulate_once(const compiler::Compiled& compiled,
                                         const TcuSimulationConfig& config,
                                         const TensorData& inputs, Cycle max_cycles);

/// A run that takes no more than a second or so; none for a program of which the estimate says that
/// it takes longer, and for one that does not finish. Cycles do not depend on the inputs.
[[nodiscard]] std::optional<TcuRunResult> simulate_if_quick(const compiler::Compiled& compiled,
                                                            const TcuSimulationConfig& config);

/// `run`: of the program, where it was quick; `optimised`: cycles of the optimising compiler's
/// program, where they are known.
void print_summary(const compiler::Compiled& compiled, const TcuSimulationConfig& config,
                   const std::optional<TcuRunResult>& run, std::optional<Cycle> optimised);
void print_layers(const compiler::Compiled& compiled, const std::optional<TcuRunResult>& run);

}  // namespace tactus
