// Compiles networks with scales (firmware/compiler/scaling) that are judged by the machine's own
// values: candidates are compiled, simulated on calibration images, and compared with float. The
// network that is chosen loses no more on them than the unscaled one.
#pragma once

#include "firmware/bench/evaluation.h"
#include "firmware/compiler/compiler.h"

namespace tactus::bench {

/// Chooses scales as the options say (Choices::scales, Choices::calibrate) and compiles. Sets
/// Compiled::scaled, scales and bounds if scales are better than none, and notes what was chosen.
/// `config` and `with_kernel`: see compile_network().
[[nodiscard]] compiler::Compiled compile_scaled(const nn::Graph& graph,
                                                const TcuSimulationConfig& config,
                                                const compiler::Options& options,
                                                const WithKernel& with_kernel);

}  // namespace tactus::bench
