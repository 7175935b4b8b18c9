// Input values drawn from a seed.
#pragma once

#include <cstdint>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// For an input whose shape is fully stated (else UserError): real numbers from -1 to 1; whole ones
/// from 0 on for the smallest table that the graph looks up with them, else of the type's whole
/// range if it is INT8 or UINT8, else 0 and 1, as masks are.
[[nodiscard]] Tensor random_input(const Graph& graph, const ValueInfo& input, std::uint64_t seed);

/// Values from -1 to 1.
[[nodiscard]] Tensor random_input(const Shape& shape, std::uint64_t seed);

}  // namespace tactus::nn
