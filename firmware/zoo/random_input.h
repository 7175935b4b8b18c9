// Input values drawn from a seed.
#pragma once

#include <cstdint>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Draws values for an input of a graph. An input of real numbers gets values from -1 to 1. An
/// input of whole numbers gets
/// - indices of the smallest table that the graph looks up with them, if there is one;
/// - else, for INT8 and UINT8, values of the type's whole range;
/// - else 0 and 1, as masks have.
/// Throws UserError unless the shape is stated completely.
[[nodiscard]] Tensor random_input(const Graph& graph, const ValueInfo& input, std::uint64_t seed);

/// Draws real values from -1 to 1.
[[nodiscard]] Tensor random_input(const Shape& shape, std::uint64_t seed);

}  // namespace tactus::nn
