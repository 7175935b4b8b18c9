// Converts TensorFlow graphs to graphs of ONNX operators, which the compiler and all tools use.
//
// All shapes are determined here; shapes that the graph leaves open are given by the user or, for
// the batch size, are 1. Everything that depends only on shapes or constants is computed by the
// reference executor. The memory layout of images does not change: TensorFlow's NHWC becomes NCHW
// operators between Transposes, which the compiler treats as a change of view; between two
// successive operators there is no Transpose. A BiasAdd becomes the bias of its product. A
// convolution between SpaceToBatchND and BatchToSpaceND becomes a dilated one. Values have
// TensorFlow's names: "node", and "node:1" for further outputs.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"
#include "firmware/tensorflow/graph_def.h"

namespace tactus::tf {

struct ImportOptions {
  /// Nodes, or outputs of nodes ("name:1"). Empty: all outputs that no node reads.
  std::vector<std::string> outputs;
  /// Cuts of the graph: these values become inputs, and the nodes before them are left out.
  std::vector<std::string> inputs;
  /// Input shapes, as in compiler::Options::input_shapes.
  std::map<std::string, std::vector<std::int64_t>> input_shapes;
};

/// Throws one UserError with all problems, one line each: node, operator, attribute, what is
/// supported, and where the graph could be cut.
[[nodiscard]] nn::Graph import_graph(const GraphDef& graph, const ImportOptions& options);

/// Sorted list of operators, "Abs, Add, AddN, ...".
[[nodiscard]] std::string supported_operators();

}  // namespace tactus::tf
