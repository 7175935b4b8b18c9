// Input values drawn from a seed.
#pragma once

#include <cstdint>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Values from -1 to 1.
[[nodiscard]] Tensor random_input(const Shape& shape, std::uint64_t seed);

}  // namespace tactus::nn
