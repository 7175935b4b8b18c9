// Builds small graphs, compiles them, and runs them on the functional model and in floating point.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/compiler/compiler.h"
#include "firmware/onnx/graph.h"
#include "firmware/reference/reference.h"

namespace tactus::compiler {

using Attributes = std::map<std::string, nn::Attribute, std::less<>>;
using Ints = std::vector<std::int64_t>;

/// Builds a graph node by node. Outputs of the last node can be made graph outputs.
class GraphMaker {
 public:
  explicit GraphMaker(std::int64_t opset = 13);

  GraphMaker& input(const std::string& name, const nn::Shape& shape);
  GraphMaker& constant(const std::string& name, nn::Tensor tensor);
  /// Adds weights: varying values between -range and range.
  GraphMaker& weights(const std::string& name, const nn::Shape& shape, float range);
  /// Adds a node whose name is that of its first output.
  GraphMaker& node(const std::string& op, const std::vector<std::string>& inputs,
                   const std::vector<std::string>& outputs, Attributes attributes = {});
  /// Adds an attention: softmax(product of two linear functions of `in`) times a third linear
  /// function. Each linear function has width x width weights between -range and range.
  GraphMaker& attention(const std::string& in, const std::string& out, std::int64_t width,
                        float range);
  GraphMaker& output(const std::string& name);
  nn::Graph graph;

 private:
  std::uint32_t state_ = 12345;
};

[[nodiscard]] nn::Tensor floats(const nn::Shape& shape, std::vector<float> values);
[[nodiscard]] nn::Tensor integers(std::vector<std::int64_t> values);

/// An architecture whose memories have a depth of 4096.
[[nodiscard]] tcu::Architecture architecture(std::uint32_t array_size);

/// Runs a compiled program on the functional model. Values are in the order of the model's tensors.
[[nodiscard]] std::map<std::string, std::vector<float>> run(
    const Compiled& compiled, const std::map<std::string, std::vector<float>>& inputs);

/// Returns reproducible values for all inputs of a graph: multiples of 1/16 between -range and
/// range.
[[nodiscard]] std::map<std::string, std::vector<float>> values_for(const Compiled& compiled,
                                                                   float range = 2.0F);

/// Expects `outputs` to be close to what the floating-point reference gives for `inputs`. Outputs
/// are compared by name.
template <typename Inputs, typename Outputs>
void expect_near_values(const nn::Graph& graph, const Compiled& compiled, const Inputs& inputs,
                        const Outputs& outputs, float tolerance) {
  nn::Values values;
  for (const TensorLayout& layout : compiled.input_layouts) {
    values[layout.name] = nn::Tensor::of(layout.shape, inputs.at(layout.name));
  }
  const nn::Values expected = nn::run_reference(graph, values);
  for (const TensorLayout& layout : compiled.output_layouts) {
    const nn::Tensor& wanted = expected.at(layout.name);
    EXPECT_EQ(layout.shape, wanted.shape) << layout.name;
    const auto& got = outputs.at(layout.name);
    ASSERT_EQ(got.size(), wanted.floats.size()) << layout.name;
    for (std::size_t i = 0; i < got.size(); ++i) {
      ASSERT_NEAR(got[i], wanted.floats[i], tolerance)
          << layout.name << " element " << i << " of " << nn::to_string(wanted.shape)
          << ", array size " << compiled.architecture.array_size;
    }
  }
}

/// Compiles, runs, and compares every output with the floating-point reference.
void expect_near_reference(const nn::Graph& graph, const tcu::Architecture& architecture,
                           const Options& options = {}, float tolerance = 0.05F);

/// Returns the error text of compile(); empty if it succeeds.
[[nodiscard]] std::string refusal(const nn::Graph& graph, std::uint32_t array_size = 4,
                                  const Options& options = {});

}  // namespace tactus::compiler
