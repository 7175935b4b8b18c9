// Replaces If and Loop nodes by the nodes of their sub-graphs, once the condition or the number of
// iterations is known.
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

/// True if a Loop's body always passes its condition on, or sets it to true.
[[nodiscard]] bool keeps_condition(const Graph& body);

}  // namespace tactus::nn
