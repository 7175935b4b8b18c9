// The order in which the compiler looks at nodes.
#pragma once

#include <string>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// The nodes that `outputs` depend on, depth first from each output in turn, a node's producers in
/// the order of its inputs before the node. Fusion looks at the next node of this list only, so
/// the order decides the layers. Throws UserError for an output nobody makes, with what there is.
/// Source: toolchain spec section 3.3.
[[nodiscard]] std::vector<const nn::Node*> traverse(const nn::Graph& graph,
                                                    const std::vector<std::string>& outputs);

}  // namespace tactus::compiler
