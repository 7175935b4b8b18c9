// Which shape an input has: what the user says, what the model says, and 1 for an open batch.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// By input name; "" stands for every input not named. -1: as the model says.
using GivenShapes = std::map<std::string, std::vector<std::int64_t>>;

/// The user's sizes first, then the model's, then 1 for the batch. Nothing, and a sentence more in
/// `problems`, if they contradict each other or a size is missing. `where` begins the sentence.
[[nodiscard]] std::optional<Shape> input_shape(const std::string& where, const ValueInfo& info,
                                               const GivenShapes& given,
                                               std::vector<std::string>& problems);

}  // namespace tactus::nn
