// Compares the simulated fixed-point result with the float reference, layer by layer, and with the
// error of the data type alone.
//
// The model is compiled again with the last tensor of every layer as an additional output, so that
// each can be compared. This adds transfers and does not change the arithmetic. If it does not fit
// the machine, only the outputs are compared, and Accuracy::note says so. A layer's error includes
// the errors of the layers before it.
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
  bool output = false;        ///< true: an output of the model; false: the last tensor of a layer
  std::uint64_t scalars = 0;  ///< number of scalars compared
  double largest_value = 0;   ///< largest absolute value of the reference
  double largest_error = 0;   ///< largest absolute difference from the reference
  double rms_error = 0;
  double lowest = 0, highest = 0;  ///< range of the reference values
  double step = 0;                 ///< step of the data type
  /// RMS error that the data type makes unavoidable: the difference between the model computed in
  /// the data type and in real numbers, both by the definition of its operations
  /// (firmware/compiler/interpretation.h).
  double reachable = 0;
  /// Limit on the RMS error of a correct program. Its error is near `reachable`, but not equal,
  /// since it may round in another order; two steps are added for tensors with few values.
  [[nodiscard]] double usual_error() const { return 3 * reachable + 2 * step; }
  /// RMS error divided by the range of the reference's values, which is made to include 0. The
  /// range counts as at least 64 steps, since smaller values are only a few steps in fixed point.
  [[nodiscard]] double relative_error() const {
    return rms_error / std::max(64 * step, std::max(highest, 0.0) - std::min(lowest, 0.0));
  }
  std::uint64_t saturated = 0;  ///< simulated scalars at an end of the data type's range
  /// Reference values inside the layer that exceed the data type's range: results of its nodes,
  /// which may stay in the accumulators, and the sums of its averages.
  std::uint64_t saturated_inside = 0;
  /// For an output with rows of classes: number of rows, of rows whose expected class is first, and
  /// of rows whose expected class is among the first five.
  std::uint64_t ranked = 0, top_1 = 0, top_5 = 0;
};

struct Accuracy {
  std::vector<TensorError> tensors;  ///< layers in order, then outputs
  std::string note;  ///< why some layers are not compared, and remarks on shapes; empty: none
};

/// Callbacks that report the progress of a check; each may be empty.
struct CheckProgress {
  std::function<void(Cycle cycles, std::uint64_t instructions)> simulation;
  /// Called for each node of the graph that the reference computes.
  std::function<void(std::size_t node)> reference;
};

/// Compiles the same graph for the same machine with other options.
using Recompile = std::function<compiler::Compiled(const compiler::Options&)>;

/// Checks `compiled`, the model compiled with `options` for the machine's architecture. Outputs are
/// compared with `expected`, by name; outputs that are absent there, with the reference executor.
/// Pass `recompile` if another function than compile_network() made the model. If `tensors` is
/// given, they are compared instead of the layers' tensors. Throws UserError if the program does
/// not finish.
[[nodiscard]] Accuracy check_accuracy(const nn::Graph& graph, const compiler::Compiled& compiled,
                                      const compiler::Options& options,
                                      const TcuSimulationConfig& config, const nn::Values& inputs,
                                      const CheckProgress& progress = {},
                                      const nn::Values& expected = {},
                                      const Recompile& recompile = {},
                                      const std::vector<std::string>& tensors = {});

}  // namespace tactus::bench
