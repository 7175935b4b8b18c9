// The zoo's networks are as described: valid ONNX, the published sizes, the same bytes on every
// platform, values that suit 8.8 fixed point.
#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include <onnx/checker.h>
#include <onnx/onnx_pb.h>
#include <onnx/shape_inference/implementation.h>

#include "firmware/onnx/writer.h"
#include "firmware/reference/reference.h"
#include "firmware/zoo/random_input.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/sha256.h"

namespace tactus::nn {
namespace {

std::int64_t vectors(std::int64_t scalars, std::int64_t n) { return (scalars + n - 1) / n; }

/// Number of vectors of constants in the layouts of toolchain spec 1.4. Biases that share a name
/// count once. Constants that the compiler adds (factors of averages) are not included.
std::int64_t constant_vectors(const Graph& graph, std::int64_t n) {
  std::int64_t sum = 0;
  std::set<std::string> seen;
  for (const Node& node : graph.nodes) {
    for (std::size_t i = 1; i < node.inputs.size(); ++i) {
      const Tensor* constant = graph.initializer(node.inputs[i]);
      if (constant == nullptr || !seen.insert(node.inputs[i]).second) continue;
      const Shape& shape = constant->shape;
      const bool conv = node.op_type == "Conv", gemm = node.op_type == "Gemm";
      const bool normalization = node.op_type == "BatchNormalization";
      if (conv && i == 1) {
        sum += shape[2] * shape[3] * vectors(shape[1], n) * n * vectors(shape[0], n);
      } else if (gemm && i == 1) {
        sum += vectors(shape[0], n) * n * vectors(shape[1], n);
      } else if (conv || gemm || (normalization && i <= 2)) {
        sum += vectors(shape[0], n);  // a normalization becomes a scale and an offset
      }
    }
  }
  return sum;
}

std::map<std::string, int> operators(const Graph& graph) {
  std::map<std::string, int> counts;
  for (const Node& node : graph.nodes) ++counts[node.op_type];
  return counts;
}

class EveryNetwork : public testing::TestWithParam<std::string_view> {};

TEST_P(EveryNetwork, IsValidOnnxOfTheStatedShapes) {
  const Graph graph = zoo_entry(GetParam()).build(1).graph;
  const auto bytes = write_graph(graph);
  onnx::ModelProto model;
  ASSERT_TRUE(model.ParseFromArray(bytes.data(), static_cast<int>(bytes.size())));
  ASSERT_NO_THROW(onnx::checker::check_model(model));
  // Strict inference checks the shapes of all nodes, and the shapes given for the outputs.
  const onnx::ShapeInferenceOptions strict(true, 1, false);
  ASSERT_NO_THROW(
      onnx::shape_inference::InferShapes(model, onnx::OpSchemaRegistry::Instance(), strict));
}

/// The reference finds the same shapes as the builder. No value leaves the range of 8.8 fixed point
/// or is lost in its steps.
TEST_P(EveryNetwork, ValuesUseTheRangeOfTheDataType) {
  const Network network = zoo_entry(GetParam()).build(1);
  const Graph& graph = network.graph;
  const std::uint64_t inputs_tried = network.macs < 1'000'000'000 ? 3 : 1;
  for (std::uint64_t seed = 1; seed <= inputs_tried; ++seed) {
    Values inputs;
    for (const ValueInfo& input : graph.inputs) {
      inputs[input.name] = random_input(graph, input, seed);
    }
    const Values values = run_reference(graph, inputs);
    for (const ValueInfo& output : graph.outputs) {
      Shape stated;
      for (const Dimension& dimension : *output.dims) stated.push_back(dimension.size.value());
      EXPECT_EQ(values.at(output.name).shape, stated);
    }
    for (const Node& node : graph.nodes) {
      if (node.op_type == "Softmax") continue;  // computed by the host
      const Tensor& value = values.at(node.outputs[0]);
      if (value.type != ElementType::float32) continue;
      double largest = 0, squares = 0;
      for (const float x : value.floats) {
        largest = std::max(largest, static_cast<double>(std::fabs(x)));
        squares += static_cast<double>(x) * static_cast<double>(x);
      }
      // A mean is computed from a sum, which must be in range too.
      double terms = 1;
      if (node.op_type == "AveragePool") {
        for (const std::int64_t size : node.integers("kernel_shape")) terms *= double(size);
      } else if (node.op_type == "GlobalAveragePool") {
        const Shape& in = values.at(node.inputs[0]).shape;
        terms = static_cast<double>(in[2] * in[3]);
      }
      EXPECT_LT(largest * terms, 128) << node.name;
      EXPECT_GT(std::sqrt(squares / static_cast<double>(value.size())), 0.25) << node.name;
    }
    for (const auto& [name, tensor] : graph.initializers) {
      for (const float x : tensor.floats) ASSERT_LT(std::fabs(x), 128) << name;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, EveryNetwork, testing::ValuesIn([] {
                           std::vector<std::string_view> names;
                           for (const ZooEntry& entry : zoo()) names.push_back(entry.name);
                           return names;
                         }()),
                         [](const auto& test) {
                           std::string name(test.param);
                           for (char& c : name) c = c == '-' ? '_' : c;
                           return name;
                         });

/// Figures of Keras' model summary: 574 090 parameters in all. A normalisation that is folded into
/// a convolution only leaves the bias, i.e. 4 values per channel less. A shared bias counts once.
TEST(ResNet20, HasThePublishedSize) {
  const Network network = build_resnet20v2(1);
  const auto counts = operators(network.graph);
  EXPECT_EQ(counts.at("Conv"), 22);
  EXPECT_EQ(counts.at("BatchNormalization"), 6);
  EXPECT_EQ(counts.at("Relu"), 19);
  EXPECT_EQ(counts.at("Add"), 6);
  // Normalisations are folded into the first convolution and both inner ones of each block.
  const std::int64_t folded = 4 * (16 + 2 * (16 + 16) + 2 * (64 + 64) + 2 * (128 + 128));
  const std::int64_t shared = 64 + 128 + 256;
  EXPECT_EQ(network.parameters + folded + shared, 574090);
}

/// Numbers of constants in the published compiler summaries for 8, 16 and 32 lanes (toolchain spec
/// 4.2). One vector is the factor of the average, which the compiler adds.
TEST(ResNet20, NeedsThePublishedConstants) {
  const Graph graph = build_resnet20v2(1).graph;
  EXPECT_EQ(constant_vectors(graph, 8) + 1, 71341);
  EXPECT_EQ(constant_vectors(graph, 16) + 1, 35743);
  EXPECT_EQ(constant_vectors(graph, 32) + 1, 18803);
}

/// Convolutions of the golden program in its layer order (toolchain spec 3.11): inputs, outputs,
/// kernel, stride.
TEST(ResNet20, HasTheConvolutionsOfTheGoldenProgram) {
  const std::vector<Shape> expected{
      {3, 16, 3, 1},    {16, 64, 1, 1},   {16, 16, 1, 1},   {16, 16, 3, 1},   {16, 64, 1, 1},
      {64, 16, 1, 1},   {16, 16, 3, 1},   {16, 64, 1, 1},   {64, 128, 1, 2},  {64, 64, 1, 2},
      {64, 64, 3, 1},   {64, 128, 1, 1},  {128, 64, 1, 1},  {64, 64, 3, 1},   {64, 128, 1, 1},
      {128, 256, 1, 2}, {128, 128, 1, 2}, {128, 128, 3, 1}, {128, 256, 1, 1}, {256, 128, 1, 1},
      {128, 128, 3, 1}, {128, 256, 1, 1}};
  const Graph graph = build_resnet20v2(1).graph;
  std::vector<Shape> convolutions;
  for (const Node& node : graph.nodes) {
    if (node.op_type != "Conv") continue;
    const Shape& weights = graph.initializers.at(node.inputs[1]).shape;
    convolutions.push_back({weights[1], weights[0], weights[2], node.integers("strides")[0]});
  }
  EXPECT_EQ(convolutions, expected);
}

/// Figures of Keras' summary: 25 613 800 parameters; 3.48 GMAC.
TEST(ResNet50, HasThePublishedSize) {
  const Network network = build_resnet50v2(1);
  const auto counts = operators(network.graph);
  EXPECT_EQ(counts.at("Conv"), 53);
  EXPECT_EQ(counts.at("BatchNormalization"), 17);
  EXPECT_EQ(counts.at("Add"), 16);
  EXPECT_EQ(counts.at("MaxPool"), 4);
  // The two inner convolutions of a block have no bias, but a normalisation of 4 values per
  // channel; folding leaves one value.
  const std::int64_t folded = 3 * 2 * (3 * 64 + 4 * 128 + 6 * 256 + 3 * 512);
  EXPECT_EQ(network.parameters + folded, 25613800);
  EXPECT_NEAR(static_cast<double>(network.macs) / 1e9, 3.48, 0.005);
}

/// Returns the number of channels of all convolutions with a folded normalisation.
std::int64_t normalised_channels(const Graph& graph) {
  std::int64_t sum = 0;
  for (const Node& node : graph.nodes) {
    if (node.op_type == "Conv") sum += graph.initializers.at(node.inputs[1]).shape[0];
  }
  return sum;
}

/// Figures of Keras' summary: 4 253 864 parameters, including 4 per channel of a normalisation;
/// folding leaves one of these. The paper's table 4: 4.2 million parameters, 569 million
/// multiply-accumulates.
TEST(MobileNetV1, HasThePublishedSize) {
  const Network network = zoo_entry("mobilenetv1").build(1);
  const auto counts = operators(network.graph);
  EXPECT_EQ(counts.at("Conv"), 27);
  EXPECT_EQ(counts.at("Clip"), 27);
  EXPECT_EQ(network.parameters + 3 * normalised_channels(network.graph), 4253864);
  EXPECT_NEAR(static_cast<double>(network.macs) / 1e6, 569, 0.5);
}

/// MLPerf Tiny's model has 221 794 parameters; its convolutions have biases besides the
/// normalisations.
TEST(MobileNetV1, TheSmallOneIsThatOfMlperfTiny) {
  const Network network = zoo_entry("mobilenetv1-tiny").build(1);
  EXPECT_EQ(network.parameters + 4 * normalised_channels(network.graph), 221794);
}

/// Figures of Keras' summary: 3 538 984 parameters. The paper's table 4: 3.4 million parameters,
/// 300 million multiply-accumulates.
TEST(MobileNetV2, HasThePublishedSize) {
  const Network network = zoo_entry("mobilenetv2").build(1);
  const auto counts = operators(network.graph);
  EXPECT_EQ(counts.at("Conv"), 52);
  EXPECT_EQ(counts.at("Clip"), 35);
  EXPECT_EQ(counts.at("Add"), 10);
  EXPECT_EQ(network.parameters + 3 * normalised_channels(network.graph), 3538984);
  EXPECT_NEAR(static_cast<double>(network.macs) / 1e6, 300, 1);
}

/// Depthwise convolutions alternate with 1x1 convolutions. Expected values: channels, group, stride
/// of each depthwise one.
TEST(MobileNetV2, FiltersEveryChannelByItself) {
  std::vector<Shape> depthwise;
  for (const Node& node : zoo_entry("mobilenetv2").build(1).graph.nodes) {
    if (node.op_type != "Conv" || node.integer("group", 1) == 1) continue;
    EXPECT_EQ(node.integers("kernel_shape"), (std::vector<std::int64_t>{3, 3}));
    depthwise.push_back({node.integer("group", 1), node.integers("strides")[0]});
  }
  const std::vector<Shape> expected{{32, 1},  {96, 2},  {144, 1}, {144, 2}, {192, 1}, {192, 1},
                                    {192, 2}, {384, 1}, {384, 1}, {384, 1}, {384, 1}, {576, 1},
                                    {576, 1}, {576, 2}, {960, 1}, {960, 1}, {960, 1}};
  EXPECT_EQ(depthwise, expected);
}

/// Figures of the tutorial's compiler summary for 192 pixels and 16 lanes: 670.349 million
/// multiplications and 378 669 vectors of constants, including 19 slopes and 24 weights of the
/// upsampling.
TEST(YoloV4Tiny, HasThePublishedSize) {
  const Network network = build_yolov4_tiny(192, 1);
  EXPECT_EQ((network.macs_on_input + 500) / 1000, 670349);
  EXPECT_EQ(constant_vectors(network.graph, 16) + 19 + 24, 378669);
  const auto counts = operators(network.graph);
  EXPECT_EQ(counts.at("Conv"), 21);
  EXPECT_EQ(counts.at("LeakyRelu"), 19);
  EXPECT_EQ(counts.at("MaxPool"), 3);
  EXPECT_EQ(counts.at("Concat"), 7);
  const Network large = build_yolov4_tiny(416, 1);
  EXPECT_EQ(large.parameters, network.parameters);
  // Darknet counts 6.9 BFLOPs, with two operations per multiply-accumulate.
  EXPECT_NEAR(static_cast<double>(large.macs) / 1e9, 6.9 / 2, 0.01);
  const Shape coarse{1, 255, 13, 13}, fine{1, 255, 26, 26};
  for (std::size_t i = 0; i < 4; ++i) {
    EXPECT_EQ((*large.graph.outputs[0].dims)[i].size, coarse[i]);
    EXPECT_EQ((*large.graph.outputs[1].dims)[i].size, fine[i]);
  }
}

TEST(Zoo, SeedsChangeNothingButTheWeights) {
  for (const char* name : {"resnet20v2", "mobilenetv1-tiny", "mlp", "cnn", "csp"}) {
    const Graph one = zoo_entry(name).build(1).graph;
    const Graph other = zoo_entry(name).build(2).graph;
    EXPECT_EQ(write_graph(one), write_graph(zoo_entry(name).build(1).graph)) << name;
    EXPECT_NE(write_graph(one), write_graph(other)) << name;
    ASSERT_EQ(one.initializers.size(), other.initializers.size());
    for (const auto& [initializer, tensor] : one.initializers) {
      EXPECT_EQ(tensor.shape, other.initializers.at(initializer).shape);
    }
  }
}

/// The hashes were recorded once; other compilers and processors must give the same bytes.
TEST(Zoo, BytesAreTheSameOnEveryPlatform) {
  EXPECT_EQ(sha256(write_graph(build_csp(7).graph)),
            "85416ccda6c62f16abd05a582df92a287ec3bd924efc53b19c22e93f71b3adce");
  EXPECT_EQ(sha256(write_graph(build_resnet20v2(7).graph)),
            "88f99c49acf71f304347c00a24fa16f66214ff5749cebe2740239c976a6d9400");
  EXPECT_EQ(sha256(write_graph(zoo_entry("mobilenetv1-tiny").build(7).graph)),
            "47322a91fd955615f9ccabc9d103e4a210b1ba118580cb8687ff753c48bdd3b2");
}

TEST(Zoo, UnknownNamesGetAListAndASuggestion) {
  try {
    static_cast<void>(zoo_entry("resnet20"));
    FAIL();
  } catch (const UserError& error) {
    const std::string text = error.what();
    EXPECT_NE(text.find("\"yolov4-tiny-416\""), std::string::npos) << text;
    EXPECT_NE(text.find("did you mean \"resnet20v2\"?"), std::string::npos) << text;
  }
}

/// The published model has 4 385 920 parameters, of which 384 more positions and the pooler are
/// left out.
TEST(BertTiny, HasThePublishedSize) {
  const Network network = build_bert_tiny(1);
  const std::int64_t positions = 384 * 128, pooler = 128 * 128 + 128;
  EXPECT_EQ(network.parameters + positions + pooler, 4385920);
  const auto counts = operators(network.graph);
  EXPECT_EQ(counts.at("LayerNormalization"), 5);
  EXPECT_EQ(counts.at("Softmax"), 2);
}

/// DeiT-Ti has 5 717 416 parameters in 12 layers.
TEST(DeitTiny, HasThePublishedSizeButForItsLayers) {
  const Network network = build_deit_tiny(1);
  const std::int64_t of_attention = 4 * (192 * 192 + 192), of_ffn = 2 * 192 * 768 + 768 + 192;
  const std::int64_t of_norms = 2 * 2 * 192;
  EXPECT_EQ(network.parameters + 8 * (of_attention + of_ffn + of_norms), 5717416);
}

/// GPT-2 has 124 439 808 parameters: embeddings of 50 257 tokens and 1024 positions, 12 blocks, a
/// normalisation.
TEST(Gpt2, ABlockHasThePublishedSize) {
  const Network network = build_gpt2_block(1);
  EXPECT_EQ(12 * network.parameters + (50257 + 1024) * 768 + 2 * 768, 124439808);
}

TEST(Zoo, RandomInputsNeedAStatedShape) {
  ValueInfo info{"x", ElementType::float32, 0,
                 std::vector<Dimension>{{1, ""}, {std::nullopt, "w"}}};
  EXPECT_THROW(static_cast<void>(random_input(info, 1)), UserError);
  (*info.dims)[1].size = 3;
  EXPECT_EQ(random_input(info, 1), random_input(info, 1));
  EXPECT_FALSE(random_input(info, 1) == random_input(info, 2));
}

}  // namespace
}  // namespace tactus::nn
