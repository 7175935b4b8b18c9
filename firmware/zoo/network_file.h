// Loads networks from files: ONNX models, frozen TensorFlow graphs and layer topologies.
#pragma once

#include <string>

#include "firmware/onnx/graph.h"
#include "firmware/tensorflow/importer.h"

namespace tactus::nn {

/// True if the extension is that of a network: .onnx, .pb, .tflite, .csv.
[[nodiscard]] bool is_network_file(const std::string& path);

/// Loads the network in a file; weights of a topology use the default seed. Names in `options` are
/// for TensorFlow graphs, see tf::load_model. Throws UserError.
[[nodiscard]] Graph load_network(const std::string& path, tf::ImportOptions& options);
[[nodiscard]] Graph load_network(const std::string& path);

}  // namespace tactus::nn
