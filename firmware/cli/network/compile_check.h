// tactus compile --check: inputs, the comparison with float, and its verdict.
#pragma once

#include <string>
#include <vector>

#include "firmware/cli/args.h"
#include "firmware/cli/progress.h"
#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/simulation.h"
#include "firmware/onnx/graph.h"

namespace tactus {

/// Compares the cycles that the optimiser predicts with a run of the program, without the check's
/// additional outputs. `input_files`: words of --input.
void print_prediction(const Args& args, const std::vector<std::string>& input_files,
                      const nn::Graph& graph, const compiler::Compiled& compiled,
                      const TcuSimulationConfig& config);

/// Checks all sets of test data, or one image of --input and the seed. Returns true if all pass.
[[nodiscard]] bool print_checks(const Args& args, const std::vector<std::string>& input_files,
                                const nn::Graph& graph, const compiler::Compiled& compiled,
                                const compiler::Options& options, const TcuSimulationConfig& config,
                                Progress& progress);

}  // namespace tactus
