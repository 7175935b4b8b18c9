// Writes graphs as ONNX files.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// The bytes of an ONNX model; deterministic. Initializers are written in order of name, as raw
/// data. parse_graph() of the result equals the graph except for `file`.
[[nodiscard]] std::vector<std::uint8_t> write_graph(const Graph& graph);

}  // namespace tactus::nn
