// Writes graphs of ONNX operators as frozen TensorFlow graphs.
//
// Images become NHWC; a Transpose of the graph from an NHWC input to NCHW disappears. Supported are
// the operators of the networks of firmware/zoo and related ones; others are refused with the
// node's name. A value "name:0" becomes the node "name". Importing the result with import_graph()
// and compiling it gives the same program as the original graph.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::tf {

/// The bytes of a GraphDef; deterministic.
[[nodiscard]] std::vector<std::uint8_t> write_graph_def(const nn::Graph& graph);

/// Names of the operators of ONNX that can be written, sorted.
[[nodiscard]] std::vector<std::string_view> written_operators();

}  // namespace tactus::tf
