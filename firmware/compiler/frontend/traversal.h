// The order in which the compiler visits nodes.
#pragma once

#include <string>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// Returns the nodes that `outputs` depend on, depth first from each output in turn: a node's
/// producers, in the order of its inputs, come before the node. Fusion considers only the next node
/// of this list, so the order decides the layers. Throws UserError for an output that no node
/// computes, with the list of outputs. Source: toolchain spec section 3.3.
[[nodiscard]] std::vector<const nn::Node*> traverse(const nn::Graph& graph,
                                                    const std::vector<std::string>& outputs);

}  // namespace tactus::compiler
