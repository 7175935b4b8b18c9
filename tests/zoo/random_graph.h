// Random small networks, determined by a seed.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Returns a graph with an image input, a few operators of every kind that the compiler supports at
/// run time, with random strides, pads, groups, axes and sizes, and sometimes a dense end. One or
/// two outputs. Operator set 10 or 11. Values have magnitudes below 100 or so for inputs of -1 ..
/// 1.
[[nodiscard]] Graph random_graph(std::uint64_t seed);

/// Describes the graph as lines of text, for failure messages.
[[nodiscard]] std::string describe(const Graph& graph);

}  // namespace tactus::nn
