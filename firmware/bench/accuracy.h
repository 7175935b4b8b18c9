// Compares what the simulated program computes with the user's model in float, layer by layer, and
// judges whether the program is right.
//
// The reference computes every node of the user's model as its standard defines it
// (firmware/reference). What the data type can reach is computed from the same model
// (reachable.h), never from the program or the graphs that the compiler makes. Each layer is also
// judged on the machine's own inputs (layer_law.h).
//
// To compare layers, the model is compiled again with the last tensor of every layer as an
// additional output. This adds transfers and does not change the arithmetic. If it does not fit the
// machine, only the outputs are compared, and Accuracy::note says so.
#pragma once

#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "firmware/bench/layer_law.h"
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
  /// RMS error that the data type makes unavoidable (reachable.h); `reachable_exact`: with exact
  /// constants, which scales of tensors could come near.
  double reachable = 0, reachable_exact = 0;
  /// RMS error that lookup tables, chords and the like state, as it arrives at the tensor.
  double stated = 0;
  /// RMS error that arrives at the tensor if each node has an error of the size of the law of
  /// rounding (layer_law.h), which counts every product, where `reachable` counts every tensor. 0:
  /// not known, as for results of the host.
  double by_law = 0;
  /// Largest RMS error of a right program: 3 times what is reachable, or by the law if that is
  /// more, 2 steps, and what is stated, but never more than `largest_share` of the range.
  [[nodiscard]] double usual_error() const {
    return std::min(largest_share * range(), 3 * std::max(reachable, by_law) + 2 * step + stated);
  }
  static constexpr double largest_share = 0.02;
  /// Range of the reference's values, which is made to include 0.
  [[nodiscard]] double range() const { return std::max(highest, 0.0) - std::min(lowest, 0.0); }
  /// RMS error divided by the range, which counts as at least 64 steps here, since smaller values
  /// are only a few steps in fixed point.
  [[nodiscard]] double relative_error() const { return rms_error / relative_range(); }
  [[nodiscard]] double relative_range() const { return std::max(64 * step, range()); }
  /// RMS error of the layer that makes the tensor, on the machine's own inputs, and the one that
  /// the law of rounding expects (layer_law.h). Empty: the layer's inputs are not known.
  std::optional<LayerError> layer;
  /// True if the layer's error is over 3 times the law, and above 2 steps.
  [[nodiscard]] bool beyond_law() const {
    return layer && !(layer->rms <= std::max(3 * layer->law, 2 * step));
  }
  std::uint64_t saturated = 0;  ///< simulated scalars at an end of the data type's range
  /// Reference values inside the layer that exceed the data type's range: results of its nodes,
  /// which may stay in the accumulators, and with --compat the sums of its averages.
  std::uint64_t saturated_inside = 0;
  /// For an output with rows of classes: number of rows, of rows whose expected class is first, and
  /// of rows whose expected class is among the first five.
  std::uint64_t ranked = 0, top_1 = 0, top_5 = 0;
  /// Rows whose expected class is first by more than twice `usual_error()`, but not first here.
  std::uint64_t lost_classes = 0;
  /// True if the tensor passes. `tolerance`, if given, is the largest relative_error() of outputs
  /// and the only condition.
  [[nodiscard]] bool is_right(const std::optional<double>& tolerance = {}) const;
};

struct Accuracy {
  std::vector<TensorError> tensors;  ///< layers in order, then outputs
  [[nodiscard]] bool is_right(const std::optional<double>& tolerance = {}) const;
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

/// Checks `compiled`, the model compiled with `options` for the machine's architecture. `graph` is
/// the user's model, also if another was compiled in its place (Compiled::scaled). Outputs are
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
