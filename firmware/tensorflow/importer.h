// TensorFlow graphs as graphs of ONNX operators: what the compiler and all tools work on.
//
// All shapes are decided here (those that the graph leaves open by the user or, for the batch, as
// 1), so that what depends on shapes only is computed: constants are folded by the reference
// executor. Images stay as they are in memory: TensorFlow's NHWC becomes NCHW operators between
// Transposes that the compiler takes as a change of view; where an operator follows another no
// Transpose is left in between. A BiasAdd becomes the bias of its product, a convolution between
// SpaceToBatchND and BatchToSpaceND a dilated one.
// Values are named as TensorFlow names them: "node", and "node:1" for further outputs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"
#include "firmware/tensorflow/graph_def.h"

namespace tactus::tf {

struct ImportOptions {
  /// Nodes, or outputs of nodes ("name:1"); empty: what no node reads.
  std::vector<std::string> outputs;
  /// Where the graph is cut: these become inputs, what is before them is left out.
  std::vector<std::string> inputs;
  /// As compiler::Options::input_shapes.
  std::map<std::string, std::vector<std::int64_t>> input_shapes;
};

/// Throws one UserError with every problem, a line each: node, operator, attribute, what is
/// supported, and where the graph could be cut.
[[nodiscard]] nn::Graph import_graph(const GraphDef& graph, const ImportOptions& options);

/// Sorted, "Abs, Add, AddN, ...".
[[nodiscard]] std::string supported_operators();

}  // namespace tactus::tf
