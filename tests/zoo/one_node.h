// Graphs with a single node, for tests of operators.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "firmware/onnx/graph.h"
#include "firmware/reference/reference.h"

namespace tactus::nn {

using Attributes = std::map<std::string, Attribute, std::less<>>;

inline Tensor real(Shape shape, std::vector<float> values) {
  return Tensor::of(std::move(shape), std::move(values));
}
inline Tensor list(std::vector<std::int64_t> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return Tensor::of({count}, std::move(values));
}
/// A tensor of 0, 1, 2, ... times `step`.
inline Tensor ramp(Shape shape, float step = 1) {
  Tensor tensor = Tensor::zeros(std::move(shape));
  for (std::size_t i = 0; i < tensor.floats.size(); ++i) {
    tensor.floats[i] = static_cast<float>(i) * step;
  }
  return tensor;
}

struct OneNode {
  std::string op;
  std::int64_t opset = 13;
  Attributes attributes = {};
  std::size_t outputs = 1;

  /// Computes the node. Inputs become initializers "i0", "i1", ... A null pointer is an absent
  /// input.
  [[nodiscard]] std::vector<Tensor> operator()(std::vector<const Tensor*> inputs) const {
    Graph graph;
    graph.file = "one";
    graph.opset = opset;
    Node node;
    node.file = graph.file;
    node.name = "n";
    node.op_type = op;
    node.attributes = attributes;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
      node.inputs.push_back(inputs[i] == nullptr ? "" : "i" + std::to_string(i));
      if (inputs[i] != nullptr) graph.initializers[node.inputs.back()] = *inputs[i];
    }
    for (std::size_t i = 0; i < outputs; ++i) node.outputs.push_back("o" + std::to_string(i));
    graph.nodes.push_back(node);
    const Values values = run_reference(graph, {});
    std::vector<Tensor> results;
    for (const std::string& name : node.outputs) results.push_back(values.at(name));
    return results;
  }
  [[nodiscard]] Tensor operator()(const Tensor& a) const { return (*this)({&a})[0]; }
  [[nodiscard]] Tensor operator()(const Tensor& a, const Tensor& b) const {
    return (*this)({&a, &b})[0];
  }
  [[nodiscard]] Tensor operator()(const Tensor& a, const Tensor& b, const Tensor& c) const {
    return (*this)({&a, &b, &c})[0];
  }
};

}  // namespace tactus::nn
