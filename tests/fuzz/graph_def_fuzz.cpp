// Feeds bytes to the readers of TensorFlow graphs and Lite models, and the importer. An accepted
// graph must be one that write_graph() writes and the ONNX loader reads. A refusal must be a
// UserError.
//
// With clang and libFuzzer (TACTUS_FUZZ) this is a program of its own; the replay test calls the
// same function with small and mutated graphs.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <unordered_set>
#include <vector>

#include "firmware/onnx/loader.h"
#include "firmware/onnx/writer.h"
#include "firmware/tensorflow/graph_def.h"
#include "firmware/tensorflow/importer.h"
#include "firmware/tensorflow/lite/reader.h"
#include "isa/support/error.h"

namespace {

using namespace tactus;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "graph_def_fuzz: %s\n", what);
  std::abort();
}

/// Checks what graph_def.h guarantees about a graph.
void expect_promises(const nn::Graph& graph) {
  std::unordered_set<std::string> values, names;
  const auto define = [&](const std::string& name) {
    require(!name.empty() && values.insert(name).second, "a value is defined twice");
  };
  for (const auto& [name, tensor] : graph.initializers) {
    define(name);
    require(tensor.size() == nn::element_count(tensor.shape), "a tensor of another size");
  }
  for (const nn::ValueInfo& input : graph.inputs) define(input.name);
  for (const nn::Node& node : graph.nodes) {
    require(!node.name.empty() && names.insert(node.name).second, "node names are not unique");
    for (const std::string& input : node.inputs) {
      require(input.empty() || values.count(input) != 0, "a node reads what is not there yet");
    }
    for (const std::string& output : node.outputs) define(output);
  }
  for (const nn::ValueInfo& output : graph.outputs) {
    require(values.count(output.name) != 0, "an output that nothing makes");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  nn::Graph graph;
  try {
    const std::vector<std::uint8_t> bytes{data, data + size};
    const tf::GraphDef def = tf::is_lite_model(bytes) ? tf::read_lite_model(bytes, "input")
                                                      : tf::parse_graph_def(bytes, "input");
    graph = tf::import_graph(def, {});
  } catch (const UserError&) {
    return 0;
  }
  // From here on any exception is an error and ends the program.
  expect_promises(graph);
  for (const nn::ValueInfo& info : graph.outputs) {
    if (info.name.empty()) return 0;
  }
  const std::vector<std::uint8_t> bytes = nn::write_graph(graph);
  (void)nn::parse_graph(bytes, "again");
  return 0;
}
