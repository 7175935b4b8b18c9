// Replaces If, Loop and Scan nodes by the nodes of their sub-graphs, once the condition or the
// number of iterations is known.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Replaces the If node of this name by the nodes of one branch. Throws UserError if the branch has
/// a different number of outputs than the node.
[[nodiscard]] Graph with_branch(const Graph& graph, const std::string& node, bool condition);

/// Replaces the Loop node of this name by the nodes of its body, repeated for each iteration. The
/// body's condition is ignored. Throws UserError if inputs and outputs do not fit, or if an output
/// would collect the values of 0 iterations.
[[nodiscard]] Graph with_iterations(const Graph& graph, const std::string& node,
                                    std::int64_t count);

/// How a Scan node runs over its operands; see scan_form().
struct ScanForm {
  bool batched = false;      ///< operator set 8: dimension 0 of every operand counts the batch
  std::size_t states = 0;    ///< number of values carried from one iteration to the next
  std::size_t operands = 0;  ///< index of the first input that is a state or scanned
  std::vector<std::int64_t> input_axes, output_axes;
  std::vector<bool> inputs_reversed, outputs_reversed;
};

/// Throws UserError if attributes, inputs and outputs do not fit the body.
[[nodiscard]] ScanForm scan_form(const Node& node, std::int64_t opset);

/// Replaces the Scan node of this name by the nodes of its body, repeated for each of `count`
/// slices of its scanned inputs and, in operator set 8, for each of `batches`.
[[nodiscard]] Graph with_slices(const Graph& graph, const std::string& node, std::int64_t count,
                                std::int64_t batches);

/// True if a Loop's body always passes its condition on, or sets it to true.
[[nodiscard]] bool keeps_condition(const Graph& body);

}  // namespace tactus::nn
