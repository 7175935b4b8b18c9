// Sub-graphs of If and Loop, put in the node's place once it is known what they do.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// The graph with the nodes of one branch of an If, named by its node, in its place. Throws
/// UserError if the branch has another number of outputs than the node.
[[nodiscard]] Graph with_branch(const Graph& graph, const std::string& node, bool condition);

/// The graph with the nodes of a Loop's body, one behind the other for each of the iterations, in
/// its place. What the body says of the condition is not looked at. Throws UserError if inputs and
/// outputs do not fit, or an output collects the values of no iteration.
[[nodiscard]] Graph with_iterations(const Graph& graph, const std::string& node,
                                    std::int64_t count);

/// Whether a Loop's body hands its condition on, or sets it to true, whatever it computes.
[[nodiscard]] bool keeps_condition(const Graph& body);

}  // namespace tactus::nn
