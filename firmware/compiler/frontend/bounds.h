// Largest absolute values of tensors, as far as they follow from the graph.
#pragma once

#include "firmware/compiler/frontend/model.h"
#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// Adds to Model::bounds what follows for the node's results from its operator and from the bounds
/// of its operands. Bounds that are known already stay if they are smaller.
void derive_bounds(Model& model, const nn::Node& node);

}  // namespace tactus::compiler
