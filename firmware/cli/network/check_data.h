// The inputs of tactus compile --check, and outputs that test data expect.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "firmware/cli/args.h"
#include "firmware/compiler/compiler.h"
#include "firmware/onnx/graph.h"
#include "firmware/reference/reference.h"

namespace tactus {

/// One set of values for a check.
struct CheckData {
  std::string name;          ///< of test data; empty: none
  nn::Values inputs;         ///< of the model
  nn::Values expected;       ///< outputs as test data have them; none: those of float are taken
  bool calibration = false;  ///< the inputs are the first of --calibrate
};

/// The value of --tolerance; none: not given.
[[nodiscard]] std::optional<double> tolerance_of(const Args& args);

/// Throws UserError for options of --check that are wrong whatever the model is.
void judge_check_options(const Args& args);

/// Reads all sets of --test-data, or the files of --input, the first image of --calibrate, or draws
/// inputs from the seed. Throws UserError, also for shapes that do not fit the model.
[[nodiscard]] std::vector<CheckData> check_data(const Args& args, const nn::Graph& graph,
                                                const compiler::Compiled& compiled,
                                                const compiler::Options& options);

}  // namespace tactus
