// Import of TensorFlow graphs: layouts, merged biases, cuts, names, and refusals.
#include <gtest/gtest.h>

#include "firmware/compiler/compiler.h"
#include "firmware/onnx/writer.h"
#include "firmware/reference/reference.h"
#include "firmware/tensorflow/model_files.h"
#include "firmware/tensorflow/writer.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/files.h"
#include "tests/compiler/frontend/graphs.h"
#include "tests/support/error_of.h"
#include "tests/tensorflow/graphs.h"

namespace tactus::tf {
namespace {

std::vector<std::string> operators_of(const nn::Graph& graph) {
  std::vector<std::string> names;
  for (const nn::Node& node : graph.nodes) names.push_back(node.op_type);
  return names;
}

using Names = std::vector<std::string>;

void expect_error(const std::string& text, const std::string& part) {
  EXPECT_NE(text.find(part), std::string::npos) << text << "\n  does not say: " << part;
}

std::string import_error(const GraphMaker& maker, const ImportOptions& options = {}) {
  return error_of([&] { (void)maker.import(options); });
}

TEST(Import, LeavesNoTransposeBetweenOperatorsOnImages) {
  const nn::Graph graph = small_network().import();
  EXPECT_EQ(operators_of(graph), (Names{"Transpose", "Conv", "Relu", "MaxPool", "Transpose",
                                        "Reshape", "MatMul", "Softmax"}));
}

TEST(Import, NamesValuesAsTensorFlowDoes) {
  const nn::Graph graph = small_network().import();
  ASSERT_EQ(graph.inputs.size(), 1U);
  EXPECT_EQ(graph.inputs[0].name, "x");
  ASSERT_EQ(graph.outputs.size(), 1U);
  EXPECT_EQ(graph.outputs[0].name, "classes");
  EXPECT_EQ(graph.producer("classes")->op_type, "Softmax");
  EXPECT_EQ(graph.producer("classes")->name, "classes");
  EXPECT_EQ(graph.producer("bias")->op_type, "Conv");
}

TEST(Import, AnOpenBatchDimensionIsOneUnlessGiven) {
  const auto batch_of = [](const ImportOptions& options) {
    const nn::Graph graph = small_network().import(options);
    return std::pair(*(*graph.inputs[0].dims)[0].size, *(*graph.outputs[0].dims)[0].size);
  };
  EXPECT_EQ(batch_of({}), std::pair(std::int64_t{1}, std::int64_t{1}));
  EXPECT_EQ(batch_of({{}, {}, {{"x", {3, -1, -1, -1}}}}),
            std::pair(std::int64_t{3}, std::int64_t{3}));
  expect_error(import_error(small_network(), {{}, {}, {{"x", {1, 7, -1, -1}}}}),
               "input \"x\": dimension 1 is 6 in the model, 7 was given");
}

TEST(Import, AProductWithABiasIsOneNode) {
  GraphMaker maker;
  maker.input("x", {2, 4});
  maker.weights("w", {4, 3});
  maker.weights("b", {3});
  maker.node("MatMul", "product", {"x", "w"});
  maker.node("BiasAdd", "sum", {"product", "b"});
  EXPECT_EQ(operators_of(maker.import()), Names{"Gemm"});
  // Values that are requested or read by other nodes are not merged into others.
  EXPECT_EQ(operators_of(maker.import({{"sum", "product"}, {}, {}})), (Names{"MatMul", "Add"}));
  maker.node("Relu", "relu", {"product"});
  EXPECT_EQ(operators_of(maker.import({{"sum", "relu"}, {}, {}})),
            (Names{"MatMul", "Add", "Relu"}));
}

TEST(Import, AnyOutputMayBeAskedFor) {
  const GraphMaker maker = small_network();
  EXPECT_EQ(operators_of(maker.import({{"relu:0"}, {}, {}})),
            (Names{"Transpose", "Conv", "Relu", "Transpose"}));
  EXPECT_EQ(maker.import({{"relu:0"}, {}, {}}).outputs[0].name, "relu");
  expect_error(import_error(maker, {{"rellu"}, {}, {}}),
               "output \"rellu\" is no node of the graph; did you mean \"relu\"?");
  expect_error(import_error(maker, {{"relu:1"}, {}, {}}),
               "output \"relu:1\": the node has no such output");
  expect_error(import_error(maker, {{"relu", "relu"}, {}, {}}), "is asked for twice");
  expect_error(import_error(maker, {{"w"}, {}, {}}), "output \"w\" is constant");
}

TEST(Import, OneValueMayHaveSeveralNames) {
  GraphMaker maker = small_network();
  maker.node("Identity", "again", {"relu"});
  maker.node("Identity", "same", {"relu"});
  const nn::Graph graph = maker.import({{"again", "same", "relu", "scores"}, {}, {}});
  for (const nn::ValueInfo& output : graph.outputs) {
    EXPECT_NE(graph.producer(output.name), nullptr) << output.name;
  }
  compiler::expect_near_reference(graph, compiler::architecture(4));
}

/// Mfcc and similar operators are left to the host; their result becomes the graph's input.
TEST(Import, CutsBehindPreProcessing) {
  GraphMaker maker;
  maker.node("Placeholder", "wav", {}).attribute("dtype").set_type(tf_string);
  maker.node("DecodeWav", "samples", {"wav"});
  maker.node("Mfcc", "features", {"samples", "samples:1"});
  maker.constant("shape", std::vector<std::int64_t>{-1, 12});
  maker.node("Reshape", "rows", {"features", "shape"});
  maker.weights("w", {12, 5});
  maker.node("MatMul", "scores", {"rows", "w"});
  const std::string whole = import_error(maker);
  expect_error(whole, "node \"wav\" (Placeholder): holds elements DT_STRING");
  expect_error(whole, "--input-tensor \"features\"");
  expect_error(import_error(maker, {{}, {"features"}, {}}),
               "the graph states no shape; give one: --input-shape features=D,D,...");
  const nn::Graph at_features = maker.import({{}, {"features:0"}, {{"features", {1, 3, 4}}}});
  EXPECT_EQ(at_features.inputs[0].name, "features");
  EXPECT_EQ(operators_of(at_features), (Names{"Reshape", "MatMul"}));
  // The input's shape is derived from the target of Reshape.
  EXPECT_EQ(operators_of(maker.import({{}, {"rows"}, {}})), Names{"MatMul"});
  expect_error(import_error(maker, {{}, {"rows", "wave"}, {}}),
               "input \"wave\" is no node of the graph");
  expect_error(import_error(maker, {{"rows"}, {"scores"}, {{"scores", {1, 5}}}}),
               "input \"scores\" leads to none of the outputs");
}

TEST(Import, DilatedConvolutionsNeedNoBlocks) {
  GraphMaker maker;
  maker.input("x", {1, 8, 8, 2});
  maker.constant("block", std::vector<std::int64_t>{2, 2});
  maker.constant("pads", nn::Tensor::of({2, 2}, std::vector<std::int64_t>{2, 2, 2, 2}));
  maker.constant("crops", nn::Tensor::of({2, 2}, std::vector<std::int64_t>{0, 0, 0, 0}));
  maker.weights("w", {3, 3, 2, 3});
  maker.node("SpaceToBatchND", "blocks", {"x", "block", "pads"});
  maker.node("Conv2D", "conv", {"blocks", "w"})
      .text("padding", "VALID")
      .numbers("strides", {1, 1, 1, 1});
  maker.node("BatchToSpaceND", "image", {"conv", "block", "crops"});
  const nn::Graph graph = maker.import();
  ASSERT_EQ(operators_of(graph), (Names{"Transpose", "Conv", "Transpose"}));
  EXPECT_EQ(graph.nodes[1].integers("dilations"), (nn::Shape{2, 2}));
  EXPECT_EQ(graph.nodes[1].integers("pads"), (nn::Shape{2, 2, 2, 2}));
}

/// An operator between SpaceToBatchND and BatchToSpaceND keeps its attributes when the two are
/// removed.
TEST(Import, OperatorsBetweenBlocksKeepTheirAttributes) {
  GraphMaker maker;
  maker.input("x", {1, 8, 8, 2});
  maker.constant("block", std::vector<std::int64_t>{2, 2});
  maker.constant("pads", nn::Tensor::of({2, 2}, std::vector<std::int64_t>{2, 2, 2, 2}));
  maker.constant("crops", nn::Tensor::of({2, 2}, std::vector<std::int64_t>{0, 0, 0, 0}));
  maker.weights("w", {3, 3, 2, 3});
  maker.node("SpaceToBatchND", "blocks", {"x", "block", "pads"});
  maker.node("Conv2D", "conv", {"blocks", "w"})
      .text("padding", "VALID")
      .numbers("strides", {1, 1, 1, 1});
  maker.node("LeakyRelu", "leaky", {"conv"});
  maker.node("BatchToSpaceND", "image", {"leaky", "block", "crops"});
  const nn::Graph graph = maker.import();
  ASSERT_EQ(operators_of(graph), (Names{"Transpose", "Conv", "LeakyRelu", "Transpose"}));
  EXPECT_EQ(graph.nodes[2].real("alpha"), 0.2F);  // TensorFlow's default, which differs from ONNX's
}

/// Current TensorFlow cannot run the old operator; it is defined like FusedBatchNorm.
TEST(Import, TheOldBatchNormIsTheNewOne) {
  for (const bool scales : {true, false}) {
    GraphMaker maker;
    maker.input("x", {1, 2, 3, 4});
    for (const char* name : {"mean", "offset", "scale"}) maker.weights(name, {4});
    maker.constant("variance", nn::Tensor::of({4}, std::vector{0.5F, 1.0F, 2.0F, 4.0F}));
    maker.constant("ones", nn::Tensor::of({4}, std::vector{1.0F, 1.0F, 1.0F, 1.0F}));
    maker
        .node("BatchNormWithGlobalNormalization", "old",
              {"x", "mean", "variance", "offset", "scale"})
        .flag("scale_after_normalization", scales)
        .attribute("variance_epsilon")
        .set_f(0.01F);
    maker
        .node("FusedBatchNorm", "new",
              {"x", scales ? "scale" : "ones", "offset", "mean", "variance"})
        .flag("is_training", false)
        .attribute("epsilon")
        .set_f(0.01F);
    const nn::Graph graph = maker.import({{"old", "new"}, {}, {}});
    const nn::Values values =
        nn::run_reference(graph, {{"x", nn::random_input(graph.inputs[0], 1)}});
    EXPECT_EQ(values.at("old"), values.at("new"));
  }
}

// ---- bad input ---------------------------------------------------------------------------------

std::string parse_error(const std::string& bytes) {
  return error_of([&] { (void)parse_graph_def({bytes.begin(), bytes.end()}, "f.pb"); });
}

TEST(Refusals, OtherFilesAreNamed) {
  const std::string graph = small_network().message.SerializeAsString();
  proto::SavedModel saved;
  saved.set_saved_model_schema_version(1);
  *saved.add_meta_graphs()->mutable_graph_def() = small_network().message;
  expect_error(parse_error(saved.SerializeAsString()),
               "f.pb: is a SavedModel, whose weights are in files beside it; the graph has to be "
               "frozen");
  proto::MetaGraph meta;
  *meta.mutable_graph_def() = small_network().message;
  expect_error(parse_error(meta.SerializeAsString()), "is the MetaGraph of a checkpoint");
  expect_error(parse_error("node {\n  name: \"x\"\n}\n"), "is a graph in text form");
  const std::vector<std::uint8_t> onnx = nn::write_graph(nn::zoo_entry("mlp").build(1).graph);
  expect_error(parse_error({onnx.begin(), onnx.end()}), "is an ONNX model");
  // The start of ONNX's TensorProto: dims 2, FLOAT, raw data of 8 bytes.
  expect_error(parse_error(std::string("\x08\x02\x10\x01\x4a\x08........", 14)),
               "is an ONNX tensor, no model");
  for (const std::string& bytes : {std::string(), std::string("\x0a"), std::string("hello"),
                                   graph.substr(0, 50), graph.substr(0, graph.size() - 1)}) {
    expect_error(parse_error(bytes),
                 "f.pb: is not a frozen TensorFlow graph (GraphDef), or is cut short");
  }
}

/// Expects this message for the small network with one change.
template <typename Change>
void expect_refusal(Change&& change, const std::string& part) {
  GraphMaker maker = small_network();
  const auto node = [&](const std::string& name) {
    for (auto& one : *maker.message.mutable_node()) {
      if (one.name() == name) return NodeMaker(one);
    }
    ADD_FAILURE() << name;
    return NodeMaker(*maker.message.mutable_node(0));
  };
  change(maker, node);
  expect_error(import_error(maker), part);
}

TEST(Refusals, NameTheNode) {
  expect_refusal([](auto&, auto node) { node("relu").message().set_name("conv"); },
                 "test.pb: two nodes have the name \"conv\"");
  expect_refusal([](auto&, auto node) { node("relu").message().set_name(""); },
                 "test.pb: node 5 has no name");
  expect_refusal([](auto&, auto node) { node("relu").message().set_op("Rellu"); },
                 "node \"relu\" (Rellu): the operator is not supported\n");
  expect_refusal([](auto&, auto node) { node("relu").message().set_op("Rellu"); },
                 "what comes before can be compiled alone: --output-tensor \"bias\"");
  expect_refusal([](auto&, auto node) { node("relu").message().set_op("ReadVariableOp"); },
                 "node \"relu\" (ReadVariableOp): is a variable; the graph has to be frozen");
  expect_refusal([](auto&, auto node) { node("relu").message().set_op("PartitionedCall"); },
                 "node \"relu\" (PartitionedCall): calls a function");
  expect_refusal([](auto&, auto node) { node("relu").message().set_input(0, "nobody"); },
                 "node \"relu\" reads \"nobody\", which is no node of the graph");
  expect_refusal([](auto&, auto node) { node("relu").message().set_input(0, "bias:3"); },
                 "node \"relu\" (Relu): reads \"bias:3\", but node \"bias\" has no such output");
  expect_refusal([](auto&, auto node) { node("relu").message().set_input(0, "pool"); },
                 "node \"pool\" depends on itself: loops are not supported");
  expect_refusal([](auto&, auto node) { node("relu").message().clear_input(); },
                 "node \"relu\" (Relu): has 0 inputs; allowed is 1");
  expect_refusal([](auto&, auto node) { node("conv").text("padding", "FULL"); },
                 "node \"conv\" (Conv2D): attribute padding is \"FULL\"; supported are SAME, VALID "
                 "and EXPLICIT");
  expect_refusal(
      [](auto&, auto node) {
        node("conv").numbers("strides", {1, 2});
      },
      "node \"conv\" (Conv2D): attribute strides is [1,2]; supported are four numbers");
  expect_refusal([](auto&, auto node) { node("conv").text("data_format", "NDHWC"); },
                 "attribute data_format is \"NDHWC\"; supported are NHWC and NCHW");
  expect_refusal([](auto&, auto node) { node("conv").number("strides", 1); },
                 "attribute \"strides\" is an integer; allowed is a list of integers");
  expect_refusal([](auto&, auto node) { node("pool").message().clear_attr(); },
                 "node \"pool\" (MaxPool): attribute \"ksize\" is missing");
  expect_refusal(
      [](auto&, auto node) {
        auto& entry = *node("conv").message().add_attr();
        entry = node("conv").message().attr(0);
      },
      "node \"conv\" (Conv2D): attribute \"padding\" is given twice");
  expect_refusal(
      [](auto& maker, auto node) {
        maker.weights("wrong", {3, 3, 4, 4});
        node("conv").message().set_input(1, "wrong");
      },
      "node \"conv\" (Conv2D): the weights are for 4 channels, the image has 3");
  expect_refusal(
      [](auto& maker, auto node) {
        maker.constant("wrong", std::vector<std::int64_t>{-1, 7});
        node("flat").message().set_input(1, "wrong");
      },
      "node \"flat\" (Reshape): shape [1,2,2,4] cannot become [-1,7]");
  expect_refusal(
      [](auto& maker, auto node) {
        maker.input("computed", {3, 3, 3, 4});
        node("conv").message().set_input(1, "computed");
      },
      "node \"conv\" (Conv2D): the weights (\"computed\", input 1) is computed at run time");
}

TEST(Refusals, TensorsHoldWhatTheirShapeSays) {
  const auto changed = [](auto&& change, const std::string& part) {
    expect_refusal(
        [&](auto&, auto node) { change(*node("b").attribute("value").mutable_tensor()); },
        "test.pb: node \"b\" (Const): " + part);
  };
  changed([](proto::Tensor& t) { t.mutable_tensor_content()->resize(15); },
          "attribute \"value\": has 15 bytes of content, but its shape needs 16");
  changed([](proto::Tensor& t) { t.add_float_val(1); },
          "attribute \"value\": has both raw and listed elements");
  changed(
      [](proto::Tensor& t) {
        t.clear_tensor_content();
        for (int i = 0; i < 5; ++i) t.add_float_val(1);
      },
      "attribute \"value\": has 5 elements, but its shape needs 4");
  changed([](proto::Tensor& t) { t.set_dtype(tf_string); },
          "attribute \"value\" is a tensor of DT_STRING; a tensor is required");
  changed(
      [](proto::Tensor& t) {
        t.clear_tensor_content();
        t.mutable_tensor_shape()->mutable_dim(0)->set_size(1 << 30);
        t.add_float_val(1);
      },
      "attribute \"value\": 1073741824 elements are to be made of 1; allowed are 67108864");
  changed([](proto::Tensor& t) { t.mutable_tensor_shape()->mutable_dim(0)->set_size(-4); },
          "attribute \"value\": shape [-4] has a negative size");
}

/// A list shorter than the shape is continued with its last value; an empty list gives zeroes.
TEST(Tensors, ShortListsRepeatTheirLastValue) {
  proto::Tensor message;
  message.set_dtype(tf_int32);
  message.mutable_tensor_shape()->add_dim()->set_size(4);
  EXPECT_EQ(load_tensor(message, "t").integers, (std::vector<std::int64_t>{0, 0, 0, 0}));
  message.add_int_val(7);
  message.add_int_val(-2);
  EXPECT_EQ(load_tensor(message, "t").integers, (std::vector<std::int64_t>{7, -2, -2, -2}));
}

TEST(Tensors, EveryEncodingIsRead) {
  const auto read = [](std::int32_t type, auto&& fill) {
    proto::Tensor message;
    message.set_dtype(type);
    message.mutable_tensor_shape()->add_dim()->set_size(2);
    fill(message);
    const nn::Tensor tensor = load_tensor(message, "t");
    std::vector<double> values(tensor.floats.begin(), tensor.floats.end());
    values.insert(values.end(), tensor.integers.begin(), tensor.integers.end());
    return values;
  };
  using Values = std::vector<double>;
  using Message = proto::Tensor;
  EXPECT_EQ(read(tf_half, [](Message& m) { m.add_half_val(0x3E00), m.add_half_val(0xC000); }),
            (Values{1.5, -2}));
  EXPECT_EQ(read(tf_half, [](Message& m) { m.set_tensor_content(std::string("\0\x3e\1\0", 4)); }),
            (Values{1.5, 0x1p-24}));
  EXPECT_EQ(read(tf_bfloat16, [](Message& m) { m.add_half_val(0x3FC0), m.add_half_val(0xC000); }),
            (Values{1.5, -2}));
  EXPECT_EQ(read(tf_double, [](Message& m) { m.add_double_val(0.5); }), (Values{0.5, 0.5}));
  EXPECT_EQ(read(tf_int64, [](Message& m) { m.add_int64_val(-5), m.add_int64_val(1LL << 40); }),
            (Values{-5, 0x1p40}));
  EXPECT_EQ(read(tf_int8, [](Message& m) { m.set_tensor_content("\xff\x7f"); }), (Values{-1, 127}));
  EXPECT_EQ(read(tf_uint8, [](Message& m) { m.set_tensor_content("\xff\x7f"); }),
            (Values{255, 127}));
  EXPECT_EQ(read(tf_int16, [](Message& m) { m.add_int_val(-3); }), (Values{-3, -3}));
  EXPECT_EQ(read(tf_bool, [](Message& m) { m.add_bool_val(true), m.add_bool_val(false); }),
            (Values{1, 0}));
}

// ---- the same program from an ONNX and a TensorFlow file ----------------------------------------

class Twins : public testing::TestWithParam<const char*> {};

TEST_P(Twins, OnnxAndTensorFlowGiveTheSameProgram) {
  const nn::Graph onnx = nn::zoo_entry(GetParam()).build(1).graph;
  const nn::Graph imported = import_graph(parse_graph_def(write_graph_def(onnx), "twin.pb"), {});
  for (const bool compat : {false, true}) {
    compiler::Options options;
    options.compat = compat;
    tcu::Architecture architecture = compiler::architecture(8);
    architecture.dram0_depth = architecture.dram1_depth = 1 << 20;
    const compiler::Compiled a = compiler::compile(onnx, architecture, options);
    const compiler::Compiled b = compiler::compile(imported, architecture, options);
    EXPECT_TRUE(a.program == b.program);
    EXPECT_TRUE(a.constants == b.constants);
    EXPECT_EQ(a.layers.size(), b.layers.size());
  }
}

INSTANTIATE_TEST_SUITE_P(Zoo, Twins, testing::Values("mlp", "cnn", "csp", "resnet20v2"));

/// The smallest complete golden program of the reference (toolchain spec section 0.2), compiled
/// from the original TensorFlow graph.
TEST(Golden, XorIsTheReferencesProgram) {
  const auto scaled = [](const nn::Shape& shape, std::vector<float> mantissas) {
    for (float& m : mantissas) m /= 256.0F;
    return nn::Tensor::of(shape, std::move(mantissas));
  };
  GraphMaker maker;
  maker.input("x", {-1, 2});
  maker.constant("w1", scaled({2, 2}, {-210, 233, 210, -204}));
  maker.constant("b1", scaled({2}, {0, -29}));
  maker.constant("w2", scaled({2, 1}, {309, 318}));
  maker.constant("b2", scaled({1}, {1}));
  maker.node("MatMul", "dense/MatMul", {"x", "w1"});
  maker.node("BiasAdd", "dense/BiasAdd", {"dense/MatMul", "b1"});
  maker.node("Relu", "dense/Relu", {"dense/BiasAdd"});
  maker.node("MatMul", "dense_1/MatMul", {"dense/Relu", "w2"});
  maker.node("BiasAdd", "dense_1/BiasAdd", {"dense_1/MatMul", "b2"});
  maker.node("Identity", "Identity", {"dense_1/BiasAdd"});
  tcu::Architecture tiny;
  tiny.array_size = 2;
  tiny.dram0_depth = tiny.dram1_depth = tiny.local_depth = tiny.accumulator_depth = 256;
  tiny.stride0_depth = tiny.stride1_depth = 1;
  const compiler::Compiled compiled = compiler::compile(maker.import({{"Identity"}, {}, {}}), tiny);
  std::string program;
  for (const std::uint8_t byte : compiled.program) program += fmt::format("{:02x}", byte);
  EXPECT_EQ(program,
            "00000222030000200002003003000010000009400100"
            "7a430401002c04010021000302220301002000020030030000100400002c04000021");
  EXPECT_EQ(compiled.outputs, (std::vector<tcu::TensorEntry>{{"Identity", 0, 1}}));
}

}  // namespace
}  // namespace tactus::tf
