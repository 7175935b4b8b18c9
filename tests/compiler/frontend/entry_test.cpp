// The compiler as a whole: exact small programs, names, files, options, notes, dumps.
#include <algorithm>
#include <filesystem>
#include <ostream>

#include <gtest/gtest.h>

#include "firmware/driver/tcu/model.h"
#include "isa/support/error.h"
#include "tests/compiler/frontend/graphs.h"

namespace tactus::compiler {
namespace {

/// Two layers whose weights are given as mantissas, i.e. in units of 1/256 (spec 0.2).
GraphMaker xor_network(std::int64_t batch) {
  const auto scaled = [](const nn::Shape& shape, std::vector<float> mantissas) {
    for (float& m : mantissas) m /= 256.0F;
    return floats(shape, std::move(mantissas));
  };
  GraphMaker maker;
  maker.input("x", {batch, 2});
  maker.constant("w1", scaled({2, 2}, {-210, 233, 210, -204}));
  maker.constant("b1", scaled({2}, {0, -29}));
  maker.constant("w2", scaled({2, 1}, {309, 318})).constant("b2", scaled({1}, {1}));
  maker.node("Gemm", {"x", "w1", "b1"}, {"h"}).node("Relu", {"h"}, {"r"});
  maker.node("Gemm", {"r", "w2", "b2"}, {"y"}).output("y");
  return maker;
}

tcu::Architecture tiny() {
  tcu::Architecture a;
  a.array_size = 2;
  a.dram0_depth = a.dram1_depth = a.local_depth = a.accumulator_depth = 256;
  a.stride0_depth = a.stride1_depth = 1;
  return a;
}

std::string hex(const std::vector<std::uint8_t>& bytes) {
  std::string text;
  for (const std::uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

TEST(Entry, XorIsTheGoldenProgram) {
  for (const bool compat : {false, true}) {
    Options options;
    options.compat = compat;
    const Compiled compiled = compile(xor_network(1).graph, tiny(), options);
    EXPECT_EQ(hex(compiled.program),
              "00000222030000200002003003000010000009400100"
              "7a430401002c04010021000302220301002000020030030000100400002c04000021");
    EXPECT_EQ(hex(compiled.constants),
              "0000e3ff2effe900d20034ff0100000035010000"
              "3e010000");
    EXPECT_EQ(compiled.inputs, (std::vector<tcu::TensorEntry>{{"x", 0, 1}}));
    EXPECT_EQ(compiled.outputs, (std::vector<tcu::TensorEntry>{{"y", 0, 1}}));
    EXPECT_FALSE(compiled.load_consts_to_local);
  }
}

TEST(Entry, XorComputesItsTruthTable) {
  const Compiled compiled = compile(xor_network(4).graph, tiny());
  const std::vector<float> y = run(compiled, {{"x", {0, 0, 1, 0, 0, 1, 1, 1}}}).at("y");
  EXPECT_NEAR(y.at(0), 0, 0.2);
  EXPECT_NEAR(y.at(1), 1, 0.2);
  EXPECT_NEAR(y.at(2), 1, 0.2);
  EXPECT_NEAR(y.at(3), 0, 0.2);
}

/// A convolution of the input 4 * pixel + channel with a kernel of values 36, 37, ... in the order
/// Kh Kw Ci Co (spec 10.1).
struct Conv2d {
  std::string name;
  bool same;
  std::int64_t stride;
  std::int64_t pool;  ///< stride of a 2x2 MaxPool after a Relu; 0: none
  std::vector<float> first_channel;
};

void PrintTo(const Conv2d& tested, std::ostream* out) { *out << tested.name; }

class Conv2dTable : public testing::TestWithParam<Conv2d> {};

TEST_P(Conv2dTable, EqualsThePublishedTable) {
  const Conv2d& c = GetParam();
  nn::Tensor kernel = nn::Tensor::zeros({4, 4, 2, 2});
  for (int co = 0; co < 4; ++co) {
    for (int ci = 0; ci < 4; ++ci) {
      for (int tap = 0; tap < 4; ++tap) {
        kernel.floats[static_cast<std::size_t>((co * 4 + ci) * 4 + tap)] =
            static_cast<float>(36 + (tap * 4 + ci) * 4 + co);
      }
    }
  }
  GraphMaker maker;
  maker.input("x", {1, 3, 3, 4}).constant("w", kernel);
  maker.node("Transpose", {"x"}, {"t"}, {{"perm", Ints{0, 3, 1, 2}}});
  maker.node("Conv", {"t", "w"}, {"c"},
             {{"strides", Ints{c.stride, c.stride}},
              {"auto_pad", std::string(c.same ? "SAME_UPPER" : "VALID")}});
  std::string last = "c";
  if (c.pool != 0) {
    maker.node("Relu", {"c"}, {"r"})
        .node("MaxPool", {"r"}, {"p"},
              {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{c.pool, c.pool}}});
    last = "p";
  }
  maker.output(last);
  std::vector<float> x(36);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
  for (const std::uint32_t n : {2U, 4U, 8U}) {
    tcu::Architecture arch = architecture(n);
    arch.data_type = tcu::DataType::fp32bp16;
    const std::vector<float> y = run(compile(maker.graph, arch), {{"x", x}}).at(last);
    ASSERT_EQ(y.size(), 4 * c.first_channel.size());
    const std::vector<float> first(y.begin(),
                                   y.begin() + static_cast<std::ptrdiff_t>(c.first_channel.size()));
    EXPECT_EQ(first, c.first_channel) << "array size " << n;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Published, Conv2dTable,
    testing::Values(
        Conv2d{"valid", false, 1, 0, {11904, 16128, 24576, 28800}},
        Conv2d{"valid_stride_2", false, 2, 0, {11904}},
        Conv2d{"same", true, 1, 0, {11904, 16128, 8000, 24576, 28800, 13568, 11168, 12768, 5648}},
        Conv2d{"same_stride_2", true, 2, 0, {11904, 8000, 11168, 5648}},
        Conv2d{"pool_stride_2", true, 1, 2, {28800}},
        Conv2d{"pool_stride_1", true, 1, 1, {28800, 28800, 28800, 28800}}),
    [](const auto& tested) { return tested.param.name; });

TEST(Entry, Reshape1dTo4d) {
  GraphMaker maker;
  maker.input("x", {8}).constant("shape", integers({1, 2, 2, 2}));
  maker.node("Reshape", {"x", "shape"}, {"y"}).output("y");
  for (const bool compat : {false, true}) {
    Options options;
    options.compat = compat;
    const Compiled compiled = compile(maker.graph, architecture(4), options);
    const std::vector<float> x{1, 2, 3, 4, 5, 6, 7, 8};
    EXPECT_EQ(run(compiled, {{"x", x}}).at("y"), x);
    // The four pixels have the two channels 1 5, 2 6, 3 7, 4 8.
    EXPECT_EQ(compiled.output_layouts[0].order, (std::vector<std::size_t>{0, 2, 3, 1}));
    EXPECT_EQ(compiled.output_layouts[0].vectors, 4U);
  }
}

TEST(Entry, CompatFlattensInMemoryOrder) {
  GraphMaker maker;
  maker.input("x", {1, 2, 1, 2}).node("Flatten", {"x"}, {"y"}).output("y");
  Options options;
  options.compat = true;
  const std::vector<float> x{1, 2, 3, 4};  // both pixels of channel 0, then of channel 1
  EXPECT_EQ(run(compile(maker.graph, architecture(4)), {{"x", x}}).at("y"), x);
  EXPECT_EQ(run(compile(maker.graph, architecture(4), options), {{"x", x}}).at("y"),
            (std::vector<float>{1, 3, 2, 4}));
}

TEST(Entry, CompatRepeatsTheMistakesOfTheReference) {
  Options compat;
  compat.compat = true;
  GraphMaker pool;
  pool.input("x", {1, 1, 2, 2});
  pool.node("AveragePool", {"x"}, {"y"}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{1, 1}}});
  pool.output("y");
  const std::vector<float> x{1, 2, 3, 4};
  EXPECT_EQ(run(compile(pool.graph, architecture(4)), {{"x", x}}).at("y").at(0), 2.5F);
  EXPECT_EQ(run(compile(pool.graph, architecture(4), compat), {{"x", x}}).at("y").at(0), 10.0F);
  GraphMaker pad;
  pad.input("x", {1, 1, 1, 2});
  pad.node("Pad", {"x"}, {"y"}, {{"mode", std::string("edge")}});
  pad.constant("pads", integers({0, 0, 0, 1, 0, 0, 0, 0}));
  pad.graph.nodes[0].inputs.emplace_back("pads");
  pad.output("y");
  EXPECT_EQ(run(compile(pad.graph, architecture(4)), {{"x", {5, 6}}}).at("y"),
            (std::vector<float>{5, 5, 6}));
  EXPECT_EQ(run(compile(pad.graph, architecture(4), compat), {{"x", {5, 6}}}).at("y"),
            (std::vector<float>{0, 5, 6}));
}

TEST(Entry, FinalSoftmaxIsLeftToTheHost) {
  GraphMaker maker;
  maker.input("x", {1, 3}).weights("w", {3, 5}, 1.0F).node("MatMul", {"x", "w"}, {"logits"});
  maker.node("Softmax", {"logits"}, {"y"}).output("y");
  const Compiled compiled = compile(maker.graph, architecture(4));
  ASSERT_EQ(compiled.host_steps.size(), 1U);
  EXPECT_EQ(compiled.host_steps[0].output, "y");
  EXPECT_EQ(compiled.host_steps[0].op, "Softmax");
  EXPECT_EQ(compiled.host_steps[0].axis, 1);
  EXPECT_FALSE(compiled.host_steps[0].flatten);
  EXPECT_EQ(compiled.notes, (std::vector<std::string>{"node \"n_y\" (Softmax) is left to the host, "
                                                      "which has to compute it on \"y\""}));
  // "y" holds the logits: the program leaves Softmax to the host.
  maker.output("logits");
  const Compiled both = compile(maker.graph, architecture(4));
  const auto values = run(both, values_for(both));
  EXPECT_EQ(values.at("y"), values.at("logits"));
  EXPECT_NE(values.at("y"), std::vector<float>(5, 0.0F));
}

TEST(Entry, OutputsInsideTheGraph) {
  GraphMaker maker;
  maker.input("x", {1, 3}).node("Relu", {"x"}, {"a"}).node("Sigmoid", {"a"}, {"y"}).output("y");
  Options options;
  options.outputs = {"a"};
  const Compiled compiled = compile(maker.graph, architecture(4), options);
  EXPECT_EQ(run(compiled, {{"x", {-1, 2, 3}}}).at("a"), (std::vector<float>{0, 2, 3}));
}

TEST(Entry, OpenDimensionsAndGivenShapes) {
  GraphMaker maker;
  maker.input("x", {-1, 3}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(compile(maker.graph, architecture(4)).inputs.at(0).size, 1U);
  Options options;
  options.input_shapes[""] = {4};
  EXPECT_EQ(compile(maker.graph, architecture(4), options).inputs.at(0).size, 4U);
  options.input_shapes["x"] = {5, -1};
  EXPECT_EQ(compile(maker.graph, architecture(4), options).inputs.at(0).size, 5U);
  options.input_shapes["x"] = {5, 4};
  EXPECT_EQ(refusal(maker.graph, 4, options),
            "test.onnx: input \"x\": dimension 1 is 3 in the model, 4 was given");
  options.input_shapes["x"] = {5};
  EXPECT_EQ(refusal(maker.graph, 4, options),
            "test.onnx: input \"x\": has 2 dimensions, the given shape [5] has 1");
  options.input_shapes.erase("x");
  options.input_shapes["z"] = {1};
  EXPECT_EQ(refusal(maker.graph, 4, options),
            "test.onnx: a shape was given for \"z\", which is no input");
  options.input_shapes.erase("z");
  // The option's shape for inputs without a name cannot change a fixed dimension either.
  options.input_shapes[""] = {2, 4};
  EXPECT_EQ(refusal(maker.graph, 4, options),
            "test.onnx: input \"x\": dimension 1 is 3 in the model, 4 was given");
  GraphMaker open;
  open.input("x", {-1, 3, -1, 4}).node("Relu", {"x"}, {"y"}).output("y");
  EXPECT_EQ(refusal(open.graph),
            "test.onnx: input \"x\": dimension 2 is open in the model; give its size "
            "(--input-shape, input_shapes in Python)");
}

TEST(Entry, BaseNames) {
  EXPECT_EQ(artefact_base_name("resnet20v2_cifar.onnx", "pynqz1.tarch"),
            "resnet20v2_cifar_onnx_pynqz1");
  EXPECT_EQ(artefact_base_name("/a.b/my-net v1:2.onnx", "../boards/zcu.104.tarch"),
            "my_net v1:2_onnx_zcu");
}

class Folder {
 public:
  explicit Folder(const std::string& name)
      : path_(std::filesystem::path(testing::TempDir()) / ("tactus_entry_" + name)) {
    std::filesystem::remove_all(path_);
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;
  [[nodiscard]] std::string string() const { return path_.string(); }
  [[nodiscard]] std::vector<std::string> files() const {
    std::vector<std::string> names;
    for (const auto& entry : std::filesystem::directory_iterator(path_)) {
      names.push_back(entry.path().filename().string());
    }
    std::sort(names.begin(), names.end());
    return names;
  }

 private:
  std::filesystem::path path_;
};

TEST(Entry, ArtefactsAreWhatTheDriverReads) {
  const Folder folder("artefacts");
  Options options;
  options.strategy = Strategy::local_consts;
  options.dump_dot = options.dump_hir = options.dump_lir = options.dump_assembly = true;
  const Compiled compiled = compile(xor_network(1).graph, tiny(), options);
  const std::string path = write_artefacts(compiled, folder.string() + "/deep", "xor");
  const Model model = read_model(path, ProgramChecks::strict);
  EXPECT_EQ(model.file.name, "xor");
  EXPECT_EQ(model.program, compiled.program);
  EXPECT_EQ(model.file.load_consts_to_local, true);
  EXPECT_EQ(model.file.inputs, compiled.inputs);
  EXPECT_EQ(model.file.outputs, compiled.outputs);
  EXPECT_EQ(model.constants.at(0), compiled.constants);
  std::vector<std::string> names;
  for (const auto& entry : std::filesystem::directory_iterator(folder.string() + "/deep")) {
    names.push_back(entry.path().filename().string());
  }
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names,
            (std::vector<std::string>{"xor.dot", "xor.hir", "xor.lir", "xor.tasm", "xor.tdata",
                                      "xor.tensors.json", "xor.tmodel", "xor.tprog"}));
}

TEST(Entry, NoFileIsLeftIfOneCannotBeWritten) {
  const Folder folder("failed");
  std::filesystem::create_directories(folder.string() + "/xor.tmodel");
  const Compiled compiled = compile(xor_network(1).graph, tiny());
  EXPECT_THROW((void)write_artefacts(compiled, folder.string(), "xor"), UserError);
  EXPECT_EQ(folder.files(), (std::vector<std::string>{"xor.tmodel"}));
}

TEST(Entry, SameGraphSameBytes) {
  GraphMaker maker;
  maker.input("x", {1, 3, 6, 6}).weights("w", {5, 3, 3, 3}, 0.3F);
  maker.node("Conv", {"x", "w"}, {"c"}).node("Flatten", {"c"}, {"f"});
  maker.node("Split", {"f"}, {"a", "b"}, {{"axis", std::int64_t{1}}});
  maker.node("Concat", {"b", "a"}, {"y"}, {{"axis", std::int64_t{1}}}).output("y");
  const Compiled first = compile(maker.graph, architecture(4));
  const Compiled second = compile(maker.graph, architecture(4));
  EXPECT_EQ(first.program, second.program);
  EXPECT_EQ(first.constants, second.constants);
}

TEST(Entry, LayersCoverTheProgramAndProgressCountsThem) {
  std::vector<std::string> seen;
  Options options;
  options.progress = [&](const Progress& p) {
    EXPECT_EQ(p.all, 2U);
    seen.push_back(fmt::format("{} {}", p.done, p.what));
  };
  const Compiled compiled = compile(xor_network(1).graph, tiny(), options);
  EXPECT_EQ(seen, (std::vector<std::string>{"0 compiling layer 1 of 2: n_h+n_r",
                                            "1 compiling layer 2 of 2: n_y"}));
  ASSERT_EQ(compiled.layers.size(), 2U);
  EXPECT_EQ(compiled.layers[0].first_instruction, 0U);
  EXPECT_EQ(compiled.layers[0].instructions, 8U);
  EXPECT_EQ(compiled.layers[1].first_instruction, 8U);
  EXPECT_EQ(compiled.layers[1].instructions, 6U);
  EXPECT_EQ(compiled.true_macs, 6U);
}

TEST(Entry, DotNamesLayersTensorsAndLayouts) {
  Options options;
  options.dump_dot = true;
  GraphMaker maker;
  maker.input("x", {1, 3, 4, 4}).weights("w", {5, 3, 1, 1}, 1.0F);
  maker.node("Conv", {"x", "w"}, {"c"}).node("Relu", {"c"}, {"y"}).output("y");
  const std::string dot = compile(maker.graph, architecture(4), options).dot;
  EXPECT_EQ(dot.substr(0, 15), "digraph model {");
  for (const std::string part :
       {"label=\"n_c+n_y\"", "input_0 -> node_0 [label=\"x\\nNCHW[1,3,4,4]=NHWC[1,4,4,3]=16*4\"]",
        "node_0 -> node_1 [label=\"c\\nNCHW[1,5,4,4]=NHWC[1,4,4,5]=32*4\"]",
        "node_1 -> output_0"}) {
    EXPECT_NE(dot.find(part), std::string::npos) << part << "\n" << dot;
  }
}

TEST(Entry, TensorsOfTheWrongSizeAreRefused) {
  const Compiled compiled = compile(xor_network(1).graph, tiny());
  EXPECT_THROW((void)pack_tensor(compiled.input_layouts[0], tiny(), {1, 2, 3}), UserError);
  EXPECT_THROW((void)unpack_tensor(compiled.output_layouts[0], tiny(), {1, 2, 3}), UserError);
}

TEST(Entry, PackAndUnpackAreInverse) {
  for (const tcu::DataType type : {tcu::DataType::fp8bp4, tcu::DataType::fp16bp8,
                                   tcu::DataType::fp18bp10, tcu::DataType::fp32bp16}) {
    tcu::Architecture arch = architecture(4);
    arch.data_type = type;
    const TensorLayout layout{"t", {2, 5, 1, 3}, {0, 2, 3, 1}, 12};
    std::vector<float> values;
    for (int i = 0; i < 30; ++i) values.push_back(static_cast<float>(i - 15) / 4.0F);
    EXPECT_EQ(unpack_tensor(layout, arch, pack_tensor(layout, arch, values)), values);
  }
}

}  // namespace
}  // namespace tactus::compiler
