// Random small networks, determined by a seed.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Draws a graph of operator set 10 or 11 with an image input and one or two outputs. It has a few
/// operators of every kind that the compiler supports at run time, with random strides, pads,
/// groups, axes and sizes, and sometimes a dense end. For inputs of -1 .. 1 values have magnitudes
/// below about 100.
[[nodiscard]] Graph random_graph(std::uint64_t seed);

/// Describes the graph as lines of text, for failure messages.
[[nodiscard]] std::string describe(const Graph& graph);

}  // namespace tactus::nn
