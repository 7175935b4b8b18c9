// Graphs of ONNX operators as frozen TensorFlow graphs.
//
// Images become NHWC: where the graph turns an NHWC input to NCHW no node is left of that.
// Operators are those of the networks of firmware/zoo and their kin; others are refused with the
// node's name. A value "name:0" becomes the node "name". What import_graph() makes of the result
// compiles to the same program as the graph.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::tf {

/// The bytes of a GraphDef; the same graph gives the same bytes.
[[nodiscard]] std::vector<std::uint8_t> write_graph_def(const nn::Graph& graph);

}  // namespace tactus::tf
