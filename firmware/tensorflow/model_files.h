// Models of either kind: ONNX files and frozen TensorFlow graphs, told by their content.
#pragma once

#include <string>
#include <string_view>

#include "firmware/onnx/graph.h"
#include "firmware/tensorflow/importer.h"

namespace tactus::tf {

/// Whether the extension is that of a model: .onnx, .pb.
[[nodiscard]] bool is_model_name(std::string_view path);

/// The model as a graph of ONNX operators. What a file is decides its content; what is neither is
/// told as a broken file of the kind that its name says. Of a TensorFlow graph the names in
/// `options` become those of the graph ("x:0" becomes "x"). Cutting at inputs is for TensorFlow
/// graphs only. Throws UserError.
[[nodiscard]] nn::Graph load_model(const std::string& path, ImportOptions& options);
[[nodiscard]] nn::Graph load_model(const std::string& path);

/// The nodes' names of a TensorFlow graph; none if the file is no such graph.
[[nodiscard]] std::vector<std::string> node_names(const std::string& path);

}  // namespace tactus::tf
