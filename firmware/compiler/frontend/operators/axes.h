// Axes, slices and target shapes of nodes, by the rules of shapes.h; what does not fit is reported.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "firmware/compiler/frontend/planner.h"
#include "firmware/onnx/shapes.h"

namespace tactus::compiler {

/// Converts an axis to 0..rank-1: negative axes count from the end. Reports axes outside
/// -rank..rank-1.
[[nodiscard]] std::optional<std::int64_t> normal_axis(Planner& p, std::int64_t axis,
                                                      std::size_t rank);

/// Shape of the output of Reshape, Flatten, Squeeze or Unsqueeze on `shape`.
[[nodiscard]] std::optional<nn::Shape> reshaped(Planner& p, const nn::Shape& shape);

[[nodiscard]] std::optional<std::vector<nn::SliceRange>> slice_ranges(Planner& p,
                                                                      const nn::Shape& shape);

}  // namespace tactus::compiler
