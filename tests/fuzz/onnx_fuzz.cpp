// Feeds bytes to the ONNX loader. An accepted graph must be unchanged after write_graph() and the
// loader. A refusal must be a UserError.
//
// With clang and libFuzzer (TACTUS_FUZZ) this is a program of its own; the replay test calls the
// same function with stored and mutated files.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_set>
#include <vector>

#include "firmware/onnx/loader.h"
#include "firmware/onnx/writer.h"
#include "isa/support/error.h"

namespace {

using namespace tactus;
using namespace tactus::nn;

void require(bool condition, const char* what) {
  if (condition) return;
  std::fprintf(stderr, "onnx_fuzz: %s\n", what);
  std::abort();
}

bool holds_its_shape(const Tensor& tensor) {
  const bool real = tensor.type == ElementType::float32;
  return tensor.size() == element_count(tensor.shape) &&
         (real ? tensor.integers.empty() : tensor.floats.empty());
}

/// Checks what graph.h guarantees about a loaded graph.
void expect_promises(const Graph& graph) {
  std::unordered_set<std::string> values, names;
  const auto define = [&](const std::string& name) {
    require(!name.empty() && values.insert(name).second, "a value is defined twice");
  };
  for (const auto& [name, tensor] : graph.initializers) {
    define(name);
    require(holds_its_shape(tensor), "a tensor does not hold what its shape says");
  }
  for (const ValueInfo& input : graph.inputs) define(input.name);
  for (const Node& node : graph.nodes) {
    require(!node.name.empty() && names.insert(node.name).second, "node names are not unique");
    for (const std::string& input : node.inputs) {
      require(input.empty() || values.count(input) != 0, "a node reads what is not there yet");
    }
    for (const std::string& output : node.outputs) {
      if (!output.empty()) define(output);
    }
  }
  require(!graph.outputs.empty(), "a graph without outputs");
  for (const ValueInfo& output : graph.outputs) {
    require(values.count(output.name) != 0, "an output that nothing makes");
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Graph graph;
  try {
    graph = parse_graph({data, data + size}, "input");
  } catch (const UserError&) {
    return 0;
  }
  // From here on any exception is an error and ends the program. Operator domains other than the
  // default are read but not written.
  expect_promises(graph);
  for (const Node& node : graph.nodes) {
    if (!node.domain.empty()) return 0;
  }
  const std::vector<std::uint8_t> bytes = write_graph(graph);
  const Graph again = parse_graph(bytes, "again");
  expect_promises(again);
  require(write_graph(again) == bytes, "a written graph reads back differently");
  return 0;
}
