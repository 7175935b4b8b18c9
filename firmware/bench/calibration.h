// Calibration images: inputs of a model from which scales are chosen, from files or drawn.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"
#include "firmware/reference/reference.h"

namespace tactus::bench {

/// Reads images from an .npy or .pb (for a model of one input), an .npz (arrays with the names of
/// inputs, in_*, or of a model of one input any), or a folder: its files of these kinds, or
/// test_data_set_K folders with input_K.pb. A tensor may hold several images along its first
/// dimension. At most `most` are kept, evenly spread. `inputs` are those of the model, with
/// complete shapes. Throws UserError "WHERE: ...": no such file, shape, type, a number that is not
/// finite.
[[nodiscard]] std::vector<nn::Values> read_calibration(const std::string& path,
                                                       const std::vector<nn::ValueInfo>& inputs,
                                                       std::size_t most);

/// Draws images, see nn::random_input().
[[nodiscard]] std::vector<nn::Values> draw_calibration(const nn::Graph& graph,
                                                       const std::vector<nn::ValueInfo>& inputs,
                                                       std::size_t count);

/// Hash of the files that read_calibration() reads. Throws UserError if there are none.
[[nodiscard]] std::string calibration_hash(const std::string& path);

}  // namespace tactus::bench
