// Determines the shape of an input from the user's values, the model's, and 1 for an open batch
// size.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Shapes by input name; "" stands for all inputs not named. -1: as in the model.
using GivenShapes = std::map<std::string, std::vector<std::int64_t>>;

/// Uses the user's sizes, then the model's, then 1 for the batch. If they contradict each other or
/// a size is missing, returns nothing and adds a sentence to `problems`; `where` begins the
/// sentence.
[[nodiscard]] std::optional<Shape> input_shape(const std::string& where, const ValueInfo& info,
                                               const GivenShapes& given,
                                               std::vector<std::string>& problems);

}  // namespace tactus::nn
