// Judges each layer on the machine's own inputs against the law of rounding.
//
// A sum of n products on the machine is off by sqrt(n / 12 * (X^2 + 1) + 1 / 12) steps: X, the root
// mean square of the input as the machine holds it, stands for the rounding of the constants, 1 for
// that of each multiply-accumulate. A layer computes a tensor that is compared from others that
// are. The user's graph is computed twice from the machine's values of these: without errors, and
// with random errors of the size of the law on each node's results. What arrives at the tensor is
// the layer's error by the law; it is at least the effect of rounding the products' constants.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "firmware/bench/held_tensors.h"
#include "firmware/bench/reachable.h"
#include "firmware/onnx/graph.h"
#include "firmware/reference/reference.h"

namespace tactus::bench {

/// A tensor's RMS error on the machine's own inputs, and the one that the law expects. In the
/// model's numbers.
struct LayerError {
  double rms = 0;
  double law = 0;
};

/// `machine`: values of tensors that the program computed, not scaled. `inputs`: the model's, as
/// the user gave them. Tensors that no node of the graph makes are absent in the result.
[[nodiscard]] std::map<std::string, LayerError> layer_errors(const nn::Graph& graph,
                                                             const HeldTensors& held,
                                                             const StatedErrors& stated,
                                                             const nn::Values& inputs,
                                                             const nn::Values& machine);

/// Standard deviation, in steps, of the rounding errors of a node's results by the law.
[[nodiscard]] double law_steps(const nn::Node& node, const std::vector<const nn::Tensor*>& operands,
                               const HeldTensors& held);

}  // namespace tactus::bench
