// Scaled networks: graphs that compute the same as a model in real numbers, with tensors multiplied
// by powers of two, so that rounding to the data type loses less. law.h says how the powers are
// chosen; weights and biases contain them, so that they take no time, except for multiplies by a
// power of two behind sums, where these are wanted.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "firmware/compiler/scales.h"
#include "firmware/compiler/scaling/law.h"
#include "firmware/compiler/scaling/network.h"
#include "firmware/onnx/graph.h"
#include "firmware/reference/reference.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler {

struct ScaledNetwork {
  std::shared_ptr<const nn::Graph> graph;
  TensorScales scales;
  /// Largest absolute values expected of tensors of `graph`, see Options::bounds.
  std::map<std::string, double> bounds;
  std::size_t scaled_layers = 0;  ///< layers whose weights were scaled
  std::size_t multiplies = 0;     ///< nodes added behind sums
  /// Inputs and outputs that the host multiplies since their values are beyond the data type, each
  /// with the exponent with which the program has it.
  std::map<std::string, int> host_inputs, host_outputs;
};

/// Chooses scales for a network from calibration images.
class Scaling {
 public:
  /// `outputs` are the names of the outputs; empty: the graph's. The graph must live as long as the
  /// object.
  Scaling(const nn::Graph& graph, const std::vector<std::string>& outputs, tcu::DataType type);

  /// Adds all values of the graph (see nn::run_reference) for an image.
  void add_image(const nn::Values& values);

  /// `channels`: a power of two for each channel, where that is possible. Needs an image.
  [[nodiscard]] ScaledNetwork scaled(bool channels, scaling::Multiplies multiplies) const;

  /// Bounds of the model's own tensors, see Options::bounds.
  [[nodiscard]] std::map<std::string, double> bounds() const;

 private:
  const nn::Graph& graph_;
  std::set<std::string> outputs_;
  scaling::Range range_;
  nn::Values first_;  ///< the first image's values
  std::optional<scaling::Network> network_;
};

}  // namespace tactus::compiler
