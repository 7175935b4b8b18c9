// The compiler's view of the graph as a Graphviz drawing.
#pragma once

#include <string>
#include <vector>

#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/model.h"

namespace tactus::compiler {

/// One digraph: a box per node, a cluster per layer, inputs as circles, outputs as double circles,
/// edges labelled with the tensor's name and layout (see describe). Source: spec section 1.8.
[[nodiscard]] std::string dot_graph(const Model& model, const std::vector<LayerPlan>& layers);

}  // namespace tactus::compiler
