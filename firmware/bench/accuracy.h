// How far the simulated fixed-point result is from the float reference, layer by layer, and how far
// the data type alone takes it.
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
  double lowest = 0, highest = 0;  ///< of the reference
  double step = 0;                 ///< of the data type
  /// RMS difference between the model in the data type and in real numbers, both by the definition
  /// of its operations (firmware/compiler/interpretation.h): what the data type can reach.
  double reachable = 0;
  /// A correct program's error is of the size of what can be reached; other orders of rounding
  /// differ from it. The allowance of some steps is for tensors of few values.
  [[nodiscard]] double usual_error() const { return 3 * reachable + 2 * step; }
  /// The RMS error as a part of the range of the reference's values, of which 0 is one. Ranges
  /// below 64 steps count as that: no fixed point of such steps could do better.
  [[nodiscard]] double relative_error() const {
    return rms_error / std::max(64 * step, std::max(highest, 0.0) - std::min(lowest, 0.0));
  }
  std::uint64_t saturated = 0;  ///< simulated scalars at an end of the data type's range
  /// Values inside the layer that the data type does not hold: results that stay in the
  /// accumulators and sums of averages. From the reference.
  std::uint64_t saturated_inside = 0;
  /// Of an output of rows of classes: rows, and in how many of them the expected class is first,
  /// and among the first five.
  std::uint64_t ranked = 0, top_1 = 0, top_5 = 0;
};

struct Accuracy {
  std::vector<TensorError> tensors;  ///< layers in order, then outputs
  std::string note;                  ///< empty, or why layers are not compared
};

/// What may be told of a check under way; either may be empty.
struct CheckProgress {
  std::function<void(Cycle cycles, std::uint64_t instructions)> simulation;
  std::function<void(std::size_t node)> reference;  ///< of the graph
};

/// Compiles the graph once more for the machine, with other options.
using Recompile = std::function<compiler::Compiled(const compiler::Options&)>;

/// `compiled` is the model as `options` make it for the machine's architecture. Outputs are held
/// against `expected`, by name, those it does not have against the reference executor. `recompile`
/// if it was made by another than compile(). `tensors` are compared in place of the layers'.
/// Throws UserError if the program does not finish.
[[nodiscard]] Accuracy check_accuracy(const nn::Graph& graph, const compiler::Compiled& compiled,
                                      const compiler::Options& options,
                                      const TcuSimulationConfig& config, const nn::Values& inputs,
                                      const CheckProgress& progress = {},
                                      const nn::Values& expected = {},
                                      const Recompile& recompile = {},
                                      const std::vector<std::string>& tensors = {});

}  // namespace tactus::bench
