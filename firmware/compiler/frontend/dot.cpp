#include "firmware/compiler/frontend/dot.h"

#include <unordered_map>

#include <fmt/format.h>

#include "isa/support/text.h"

namespace tactus::compiler {
namespace {

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : printable(text, 200)) {
    if (c == '"' || c == '\\') out += '\\';
    out += c;
  }
  return out;
}

}  // namespace

std::string dot_graph(const Model& model, const std::vector<LayerPlan>& layers) {
  const std::uint32_t n = model.architecture.array_size;
  std::unordered_map<std::string, std::string> maker;  // node in the drawing that makes a value
  std::string nodes, edges;
  for (std::size_t k = 0; k < model.inputs.size(); ++k) {
    maker[model.inputs[k]] = fmt::format("input_{}", k);
    nodes += fmt::format("  input_{} [shape=circle label=\"{}\"];\n", k, escaped(model.inputs[k]));
  }
  const auto edge = [&](const std::string& value, const std::string& to) {
    edges += fmt::format("  {} -> {} [label=\"{}\\n{}\"];\n", maker[value], to, escaped(value),
                         describe(*model.value(value).layout, n));
  };
  std::size_t number = 0;
  for (std::size_t k = 0; k < layers.size(); ++k) {
    nodes += fmt::format("  subgraph cluster_layer_{} {{\n    label=\"{}\";\n", k,
                         escaped(layers[k].name));
    for (const Step* step : layers[k].steps) {
      const std::string id = fmt::format("node_{}", number++);
      nodes += fmt::format("    {} [shape=box label=\"{}\\n{}\"];\n", id,
                           escaped(step->node->op_type), escaped(step->node->name));
      for (const std::string& value : step->reads) edge(value, id);
      for (const std::string& value : step->writes) maker[value] = id;
    }
    nodes += "  }\n";
  }
  for (std::size_t k = 0; k < model.outputs.size(); ++k) {
    const std::string id = fmt::format("output_{}", k);
    nodes +=
        fmt::format("  {} [shape=doublecircle label=\"{}\"];\n", id, escaped(model.outputs[k]));
    edge(model.outputs[k], id);
  }
  return "digraph model {\n" + nodes + edges + "}\n";
}

}  // namespace tactus::compiler
