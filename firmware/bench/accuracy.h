// How far the simulated fixed-point result is from the float reference, layer by layer.
//
// The model is compiled once more with the last tensor of every layer as a further output, so that
// each can be compared; arithmetic is the same, only transfers are added. Where that does not fit
// the machine, the outputs alone are compared, and `note` says so. Errors are those that have
// accumulated up to the layer, not its own share.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/simulation.h"
#include "firmware/reference/reference.h"

namespace tactus::bench {

struct TensorError {
  std::string name;
  bool output = false;        ///< of the model, else the last of a layer
  std::uint64_t scalars = 0;  ///< compared
  double largest_value = 0;   ///< of the reference, absolute
  double largest_error = 0;   ///< absolute
  double rms_error = 0;
  std::uint64_t saturated = 0;  ///< simulated scalars at an end of the data type's range
};

struct Accuracy {
  std::vector<TensorError> tensors;  ///< layers in order, then outputs
  std::string note;                  ///< empty, or why layers are not compared
};

/// What tests of the reference allow as RMS error of an output (toolchain spec 5.5).
[[nodiscard]] double usual_tolerance(tcu::DataType type);

/// `compiled` is the model as `options` make it for the machine's architecture. Throws UserError if
/// the program does not finish. `progress`: simulated cycles and instructions.
[[nodiscard]] Accuracy check_accuracy(
    const nn::Graph& graph, const compiler::Compiled& compiled, const compiler::Options& options,
    const TcuSimulationConfig& config, const nn::Values& inputs,
    const std::function<void(Cycle cycles, std::uint64_t instructions)>& progress = {});

}  // namespace tactus::bench
