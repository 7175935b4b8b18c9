// Graphs as ONNX files.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// The bytes of an ONNX model; the same graph gives the same bytes. Initializers are written in
/// order of name, as raw data. parse_graph() of the result is the graph, its `file` apart.
[[nodiscard]] std::vector<std::uint8_t> write_graph(const Graph& graph);

}  // namespace tactus::nn
