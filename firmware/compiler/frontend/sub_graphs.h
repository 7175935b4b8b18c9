// Nodes with sub-graphs (If, Loop, Scan) are replaced by what they stand for before they are
// planned.
#pragma once

#include <functional>
#include <string>

#include "firmware/compiler/frontend/planner.h"
#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// Decision about a node with sub-graphs: it is replaced by one of them or unrolled. The graph is
/// then analysed again.
struct Decision {
  std::string node;
  std::function<nn::Graph(const nn::Graph&, const std::string& node)> without;
};

/// Throws the decision about the planner's node, or reports why there is none.
void decide(Planner& p);

}  // namespace tactus::compiler
