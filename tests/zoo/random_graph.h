// Random small networks, from a seed.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// A graph with an image input, a few operators of every kind that the compiler supports at run
/// time, with random strides, pads, groups, axes and sizes, and sometimes a dense end. One or two
/// outputs. Operator set 10 or 11. Values stay within some tens for inputs of -1 .. 1.
[[nodiscard]] Graph random_graph(std::uint64_t seed);

/// The graph as lines of text, for a failure message.
[[nodiscard]] std::string describe(const Graph& graph);

}  // namespace tactus::nn
