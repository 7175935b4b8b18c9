// Decides for each node whether the unit computes it, or the host before or after the program.
#pragma once

#include <string>
#include <vector>

#include "firmware/compiler/frontend/model.h"
#include "firmware/compiler/frontend/node_plan.h"
#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// Decision that the host computes the nodes of these results before the program, although the unit
/// could: a node behind them works on integers, which only the host has. The graph is then analysed
/// again.
struct EarlyNodes {
  std::vector<std::string> results;  ///< the first of each node
};

/// Marks the nodes that a product reads from, directly or not. The gates of a recurrent one are
/// read by the product of its next step, the weights of an Attention by that with its values.
void mark_before_product(Model& model, const std::vector<const nn::Node*>& order);
/// Plans the node for the unit or, if that is not possible, for the host. May throw EarlyNodes.
void plan_or_leave(Model& model, const nn::Node& node, Findings& found);

}  // namespace tactus::compiler
