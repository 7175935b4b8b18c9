// Plans a node for the unit by the operator table (operators.h).
#pragma once

#include <string>
#include <vector>

#include "firmware/compiler/frontend/model.h"
#include "firmware/onnx/graph.h"
#include "firmware/onnx/operators.h"

namespace tactus::compiler {

using Problems = std::vector<std::string>;

struct Findings {
  Problems& problems;
  bool unsupported = false;  ///< the operator is unknown here
};

/// Adds the node's step, those of its expansion or the constants that it makes to the model, or
/// adds problems. `expanded`: the node was written by an expansion. Throws a Decision
/// (sub_graphs.h) about a node with sub-graphs.
void plan_node(Model& model, const nn::Node& node, Findings& found, bool expanded = false);

[[nodiscard]] inline bool has_supported_opset(const nn::Graph& graph) {
  return graph.opset >= nn::first_opset && graph.opset <= nn::newest_opset;
}

}  // namespace tactus::compiler
