// tactus compile --check: the comparison with float, and its verdict.
#pragma once

#include <vector>

#include "firmware/cli/args.h"
#include "firmware/cli/network/check_data.h"
#include "firmware/cli/progress.h"
#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/simulation.h"
#include "firmware/onnx/graph.h"

namespace tactus {

/// Compares the cycles that the optimiser predicts with a run of the program, without the check's
/// additional outputs.
void print_prediction(const CheckData& set, const compiler::Compiled& compiled,
                      const TcuSimulationConfig& config);

/// Checks all sets. Returns true if all pass.
[[nodiscard]] bool print_checks(const Args& args, const std::vector<CheckData>& sets,
                                const nn::Graph& graph, const compiler::Compiled& compiled,
                                const compiler::Options& options, const TcuSimulationConfig& config,
                                Progress& progress);

}  // namespace tactus
