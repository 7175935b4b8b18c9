// Loads models: ONNX files, frozen TensorFlow graphs and TensorFlow Lite models, recognised by
// content.
#pragma once

#include <string>
#include <string_view>

#include "firmware/onnx/graph.h"
#include "firmware/tensorflow/importer.h"

namespace tactus::tf {

/// True if the extension is that of a model: .onnx, .pb or .tflite.
[[nodiscard]] bool is_model_name(std::string_view path);

/// Loads a model as a graph of ONNX operators. The content tells the file's kind; a file of neither
/// kind is reported as a broken file of the kind that its name suggests. For a TensorFlow graph,
/// names in `options` are replaced by those of the resulting graph ("x:0" becomes "x"). Only
/// TensorFlow graphs can be cut at inputs. Throws UserError.
[[nodiscard]] nn::Graph load_model(const std::string& path, ImportOptions& options);
[[nodiscard]] nn::Graph load_model(const std::string& path);

}  // namespace tactus::tf
