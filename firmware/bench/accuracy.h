// How far the simulated fixed-point result is from the float reference, layer by layer.
//
// The model is compiled once more with the last tensor of every layer as a further output, so that
// each can be compared; arithmetic is the same, only transfers are added. Where that does not fit
// the machine, the outputs alone are compared, and `note` says so. Errors are those that have
// accumulated up to the layer, not its own share.
#pragma once

#include <algorithm>
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
  /// The RMS error as a part of the largest value. Values below 1 count as 1: the steps of a fixed
  /// point are the same for all.
  [[nodiscard]] double relative_error() const { return rms_error / std::max(1.0, largest_value); }
  std::uint64_t saturated = 0;  ///< simulated scalars at an end of the data type's range
};

struct Accuracy {
  std::vector<TensorError> tensors;  ///< layers in order, then outputs
  std::string note;                  ///< empty, or why layers are not compared
};

/// Relative RMS error that is usual in an output: for 16 bits and more, what tests of the reference
/// allow for outputs of some units (toolchain spec 5.5), taken at 4.
[[nodiscard]] double usual_tolerance(tcu::DataType type);

/// What may be told of a check under way; either may be empty.
struct CheckProgress {
  std::function<void(Cycle cycles, std::uint64_t instructions)> simulation;
  std::function<void(std::size_t node)> reference;  ///< of the graph
};

/// Compiles the graph once more for the machine, with other options.
using Recompile = std::function<compiler::Compiled(const compiler::Options&)>;

/// `compiled` is the model as `options` make it for the machine's architecture. Throws UserError if
/// the program does not finish. `recompile` if it was made by another than compile().
[[nodiscard]] Accuracy check_accuracy(const nn::Graph& graph, const compiler::Compiled& compiled,
                                      const compiler::Options& options,
                                      const TcuSimulationConfig& config, const nn::Values& inputs,
                                      const CheckProgress& progress = {},
                                      const Recompile& recompile = {});

}  // namespace tactus::bench
