// Reads TensorFlow Lite models as graphs of TensorFlow operators, which the importer converts.
//
// Each operator becomes one or a few nodes; the last has the name of the tensor that it computes
// (without a final ":0"), the others begin with it. All numbers are real numbers then: quantised
// constants are multiplied out, and a tensor of 8-bit integers becomes a FakeQuant of its range.
// Inputs and outputs that the file has as integers with a scale are real numbers, too.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/tensorflow/graph_def.h"

namespace tactus::tf {

/// Tests the content for the identifier of a TensorFlow Lite model.
[[nodiscard]] bool is_lite_model(const std::vector<std::uint8_t>& bytes);

/// Reads the model's first subgraph. `file` stands for the file's name. Throws UserError: broken
/// files, sparse or external tensors, element types without numbers, a package for an Edge TPU.
[[nodiscard]] GraphDef read_lite_model(const std::vector<std::uint8_t>& bytes,
                                       const std::string& file);

}  // namespace tactus::tf
