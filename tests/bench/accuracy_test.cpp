// Errors of fixed-point results against floating point: they are small for small networks, and a
// wrong network is detected.
#include "firmware/bench/accuracy.h"

#include <algorithm>

#include <gtest/gtest.h>

#include "firmware/config/board.h"
#include "firmware/zoo/zoo.h"

namespace tactus::bench {
namespace {

struct Case {
  nn::Graph graph;
  TcuSimulationConfig config = read_board("ultra96_v2").simulation_config();
  compiler::Options options;
  nn::Values inputs;

  explicit Case(const char* network) : graph(nn::zoo_entry(network).build(1).graph) {
    for (const nn::ValueInfo& input : graph.inputs) {
      inputs[input.name] = nn::random_input(input, 7);
    }
  }
  [[nodiscard]] Accuracy check() const {
    return check_accuracy(graph, compile(graph, config.architecture, options), options, config,
                          inputs);
  }
};

TEST(Accuracy, SmallNetworksAreNearFloatInEveryLayer) {
  for (const char* network : {"mlp", "cnn", "csp"}) {
    const Accuracy accuracy = Case(network).check();
    EXPECT_EQ(accuracy.note, "") << network;
    EXPECT_TRUE(accuracy.tensors.back().output) << network;
    std::size_t layers = 0;
    for (const TensorError& error : accuracy.tensors) {
      layers += error.output ? 0 : 1;
      EXPECT_LT(error.relative_error(), 0.05) << network << " " << error.name;
      EXPECT_LE(error.rms_error, error.usual_error()) << network << " " << error.name;
      EXPECT_GT(error.reachable, 0) << network << " " << error.name;
      // fixed-point results are never exact
      EXPECT_GT(error.rms_error, 0) << network << " " << error.name;
      EXPECT_GE(error.largest_error, error.rms_error) << network << " " << error.name;
      EXPECT_GT(error.largest_value, 0) << network << " " << error.name;
      EXPECT_EQ(error.saturated, 0U) << network << " " << error.name;
    }
    EXPECT_GE(layers, 1U) << network;
  }
}

TEST(Accuracy, ErrorsAreRelativeToTheRange) {
  TensorError error;
  error.rms_error = 0.216;
  error.step = 1.0 / 256;
  error.lowest = -20;
  error.highest = 7;  // range of the speech network's default inputs
  EXPECT_DOUBLE_EQ(error.relative_error(), 0.008);
  error.lowest = 18;  // the range always includes zero
  error.highest = 27;
  EXPECT_DOUBLE_EQ(error.relative_error(), 0.008);
  error.lowest = 0;
  error.highest = 0.5;
  EXPECT_DOUBLE_EQ(error.relative_error(), 0.432);
  error.highest = 0.01;  // the error is relative to at least 64 steps, here 0.25
  EXPECT_DOUBLE_EQ(error.relative_error(), 0.864);
}

TEST(Accuracy, ANarrowDataTypeIsWorse) {
  Case wide("cnn");
  Case narrow("cnn");
  narrow.config.architecture.data_type = tcu::DataType::fp8bp4;
  EXPECT_GT(narrow.check().tensors.back().rms_error, 4 * wide.check().tensors.back().rms_error);
}

/// A parametric ReLU with one slope per channel. `alike`: all channels have the first channel's
/// slope.
nn::Graph with_slopes(bool alike) {
  constexpr std::int64_t channels = 16;
  nn::Graph graph;
  graph.file = graph.name = "slopes";
  graph.ir_version = 7;
  graph.opset = 13;
  nn::ValueInfo info;
  info.name = "x";
  info.dims.emplace();
  for (const std::int64_t size : {std::int64_t{1}, channels, std::int64_t{8}, std::int64_t{8}}) {
    nn::Dimension dimension;
    dimension.size = size;
    info.dims->push_back(dimension);
  }
  graph.inputs = {info};
  info.name = "y";
  graph.outputs = {info};
  std::vector<float> slopes;
  for (std::int64_t c = 0; c < channels; ++c) {
    slopes.push_back(alike ? 0.125F : 0.125F + 0.03125F * static_cast<float>(c));
  }
  graph.initializers["slope"] = nn::Tensor::of({channels, 1, 1}, slopes);
  nn::Node node;
  node.name = "prelu";
  node.op_type = "PRelu";
  node.inputs = {"x", "slope"};
  node.outputs = {"y"};
  graph.nodes = {node};
  return graph;
}

TEST(Accuracy, AWrongLayerIsBeyondWhatTheDataTypeReaches) {
  for (const tcu::DataType type : {tcu::DataType::fp16bp8, tcu::DataType::fp32bp16}) {
    Case check("mlp");
    check.config.architecture.data_type = type;
    check.graph = with_slopes(false);
    check.inputs = {{"x", nn::random_input(check.graph.inputs.front(), 3)}};
    const tcu::Architecture& a = check.config.architecture;
    for (const bool wrong : {false, true}) {
      const nn::Graph compiled_graph = with_slopes(wrong);
      const Accuracy accuracy = check_accuracy(
          check.graph, compile(compiled_graph, a, check.options), check.options, check.config,
          check.inputs, {}, {},
          [&](const compiler::Options& options) { return compile(compiled_graph, a, options); });
      const TensorError& error = accuracy.tensors.back();
      EXPECT_EQ(error.rms_error > error.usual_error(), wrong)
          << info(type).name << ": " << error.rms_error << ", reachable " << error.reachable;
    }
  }
}

TEST(Accuracy, SaturationIsCounted) {
  Case hot("mlp");
  for (auto& [name, tensor] : hot.inputs) {
    for (float& value : tensor.floats) value *= 120;
  }
  const Accuracy accuracy = hot.check();
  std::uint64_t saturated = 0;
  for (const TensorError& error : accuracy.tensors) saturated += error.saturated;
  EXPECT_GT(saturated, 0U);
}

TEST(Accuracy, WithoutRoomForLayersTheOutputsAreCompared) {
  Case small("resnet20v2");
  small.config = read_board("zcu104").simulation_config();
  const compiler::Compiled compiled =
      compile(small.graph, small.config.architecture, small.options);
  // DRAM0 has room for what the model needs, but not for all layers as additional outputs.
  small.config.architecture.dram0_depth = compiled.memory.dram0.maximum;
  const Accuracy accuracy = small.check();
  EXPECT_NE(accuracy.note.find("layers are not compared"), std::string::npos) << accuracy.note;
  ASSERT_EQ(accuracy.tensors.size(), 1U);
  EXPECT_TRUE(accuracy.tensors[0].output);
  EXPECT_LT(accuracy.tensors[0].rms_error, 0.2);
}

}  // namespace
}  // namespace tactus::bench
