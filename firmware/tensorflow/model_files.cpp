#include "firmware/tensorflow/model_files.h"

#include <map>
#include <utility>

#include "firmware/onnx/loader.h"
#include "firmware/tensorflow/graph_def.h"
#include "firmware/tensorflow/lite/reader.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/text.h"

namespace tactus::tf {
namespace {

bool ends_with(std::string_view text, std::string_view end) {
  return text.size() > end.size() && text.compare(text.size() - end.size(), end.size(), end) == 0;
}

void normalise(std::vector<std::string>& names) {
  for (std::string& name : names) name = parse_output(name).text();
}

}  // namespace

bool is_model_name(std::string_view path) {
  return ends_with(path, ".onnx") || ends_with(path, ".pb") || ends_with(path, ".tflite");
}

nn::Graph load_model(const std::string& path, ImportOptions& options) {
  const std::vector<std::uint8_t> bytes = read_file(path);
  const bool lite = ends_with(path, ".tflite") || is_lite_model(bytes);
  const bool tensorflow = ends_with(path, ".pb") ? !is_onnx_model(bytes) : is_graph_def(bytes);
  if (!tensorflow && !lite) {
    if (!options.inputs.empty()) {
      user_error("{}: is no TensorFlow graph, and only those can be cut at an input ({})", path,
                 quote(options.inputs.front()));
    }
    return nn::load_graph(path);
  }
  const GraphDef graph = lite ? read_lite_model(bytes, path) : parse_graph_def(bytes, path);
  normalise(options.outputs);
  normalise(options.inputs);
  std::map<std::string, std::vector<std::int64_t>> shapes;
  for (auto& [name, shape] : options.input_shapes) {
    const std::string normal = parse_output(name).text();
    if (!shapes.emplace(normal, std::move(shape)).second) {
      user_error("{}: the shape of {} is given twice", path, quote(normal));
    }
  }
  options.input_shapes = std::move(shapes);
  return import_graph(graph, options);
}

nn::Graph load_model(const std::string& path) {
  ImportOptions options;
  return load_model(path, options);
}

}  // namespace tactus::tf
