// Computes ONNX graphs in single precision by plain loops, which defines the meaning of a model.
//
// Forms of operators (firmware/onnx/operators.h) and shapes (firmware/onnx/shapes.h) are the
// compiler's, too. What computes values shares no code with it, so that each can be tested against
// the other. Semantics are those of the ONNX standard for operator sets 7 to 28. Operators are
// those that the compiler translates, and those that it may leave to the host.
// Choices where the standard leaves them open:
// * Resize of set 10 samples at x / scale; nearest rounds up when shrinking and down otherwise, as
//   in the standard's examples.
// * Resize copies a dimension of scale 1, whatever the coordinate mode.
// * Average pooling with ceil_mode does not count positions beyond the padding. A pooling window
//   without any input has no value and is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Tensors by name.
using Values = std::map<std::string, Tensor, std::less<>>;

/// Executes a node with operands as run_node() does; a null pointer is an absent operand.
using ExecuteNode = std::function<std::vector<Tensor>(const Node& node, std::int64_t opset,
                                                      const std::vector<const Tensor*>& operands)>;

/// What run_reference() does besides computing the graph; each member may be empty.
struct ReferenceOptions {
  /// Called before each node of the graph with its number from 0.
  std::function<void(std::size_t node)> on_node;
  /// Called in place of run_node() for each node, also for those of sub-graphs, except If, Loop and
  /// Scan. It may change operands and results.
  ExecuteNode execute;
  /// Called with the results of each node, also of If, Loop and Scan; it may change them.
  std::function<void(const Node& node, std::vector<Tensor>& results)> revise;
  /// Computes only the nodes that these tensors need; empty: all nodes.
  std::vector<std::string> outputs;
};

/// All values of the graph, i.e. its inputs and node outputs, without initializers. Throws
/// UserError that names the node: unsupported operator, attribute or operator set, shapes that do
/// not fit, an input that is missing, superfluous, or of another type or shape than stated.
[[nodiscard]] Values run_reference(const Graph& graph, const Values& inputs,
                                   const ReferenceOptions& options = {});

/// True if the operator set has an operator of the node's type. Its form and attributes are checked
/// only when it is executed.
[[nodiscard]] bool reference_has(const Node& node, std::int64_t opset);

/// Executes one node; a null pointer is an absent input. Optional outputs for training are not
/// computed, so there may be fewer results than outputs.
[[nodiscard]] std::vector<Tensor> run_node(const Node& node, std::int64_t opset,
                                           const std::vector<const Tensor*>& inputs);

}  // namespace tactus::nn
