// Errors for graphs that cannot be compiled: they name the node, the problem, and what is
// supported.
#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/compiler/frontend/graphs.h"
#include "tests/support/error_of.h"

namespace tactus::compiler {
namespace {

using namespace std::string_literals;

struct Case {
  std::string op;
  Attributes attributes;
  std::string message;  ///< text after the name of the node
  std::int64_t opset = 13;
};

/// Compiles one node on an image x (1,4,6,6) or a row r (1,4), with weights if needed. A product
/// follows, so that the node cannot be left to the host.
std::string refuse_one(const Case& c, const std::vector<std::string>& inputs) {
  GraphMaker maker(c.opset);
  maker.input("x", {1, 4, 6, 6}).input("r", {1, 4});
  maker.weights("w", {4, 4, 3, 3}, 1.0F).weights("m", {4, 3}, 1.0F).weights("v", {4}, 1.0F);
  maker.constant("i", integers({1, 2}))
      .weights("short", {3}, 1.0F)
      .weights("q", {1, 1, 1, 4}, 1.0F);
  maker.node(c.op, inputs, {"y"}, c.attributes).node("Conv", {"y", "w"}, {"z"}).output("z");
  return refusal(maker.graph);
}

void expect_refusal(const Case& c, const std::vector<std::string>& inputs) {
  EXPECT_EQ(refuse_one(c, inputs),
            fmt::format("test.onnx: node \"n_y\" ({}): {}", c.op, c.message));
}

TEST(Refusal, Convolution) {
  const auto conv = [](const Attributes& attributes, const std::string& message) {
    expect_refusal({"Conv", attributes, message}, {"x", "w"});
  };
  conv({{"strides", Ints{1}}},
       "attribute strides is [1]; supported are 2 values, each 1 to 1048576");
  conv({{"strides", Ints{0, 1}}},
       "attribute strides is [0,1]; supported are 2 values, each 1 to 1048576");
  conv({{"dilations", Ints{1, -1}}},
       "attribute dilations is [1,-1]; supported are 2 values, each 1 to 1048576");
  conv({{"pads", Ints{0, 0, -1, 0}}},
       "attribute pads is [0,0,-1,0]; supported are 4 values, each 0 to 1048576");
  conv({{"auto_pad", "SOME"s}},
       "attribute auto_pad is \"SOME\"; supported are NOTSET, VALID, SAME_UPPER, SAME_LOWER");
  conv({{"kernel_shape", Ints{2, 2}}}, "attribute kernel_shape is [2,2], weights \"w\" have [3,3]");
  conv({{"group", std::int64_t{2}}},
       "weights \"w\" have shape [4,4,3,3] for an input of 4 channels and group 2; supported are "
       "Co x Ci/group x Kh x Kw with Co a multiple of group");
  conv({{"group", std::int64_t{0}}}, "attribute group is 0; supported are 1 and more");
  conv({{"dilations", Ints{4, 1}}}, "the kernel spans 9 pixels, the padded image has 6");
  expect_refusal({"Conv",
                  {},
                  "weights (\"x\") is computed at run time; supported are initializers "
                  "and folded constants"},
                 {"x", "x"});
  expect_refusal({"Conv",
                  {},
                  "weights \"m\" have shape [4,3]; supported are 4 dimensions, Co Ci "
                  "Kh Kw"},
                 {"x", "m"});
  expect_refusal({"Conv", {}, "bias \"short\" has shape [3]; supported is [4]"},
                 {"x", "w", "short"});
  expect_refusal({"Conv",
                  {},
                  "input \"r\" has shape [1,4]; supported are images of 4 dimensions, "
                  "N C H W"},
                 {"r", "w"});
  expect_refusal({"Conv", {}, "input 1 is missing"}, {"x"});
}

/// Each node has its form checked, whichever operator it has and whoever would compute it.
TEST(Refusal, ImagesWithADepth) {
  const auto refuse = [](const std::string& op, const Attributes& attributes) {
    GraphMaker maker(13);
    maker.input("x", {1, 2, 3, 4, 4}).weights("w", {2, 2, 2, 2, 2}, 1.0F);
    maker.node(op, {"x", "w"}, {"y"}, attributes).node("Conv", {"y", "w"}, {"z"}).output("z");
    return refusal(maker.graph);
  };
  const auto expect = [&](const std::string& op, const Attributes& attributes, const char* text) {
    const std::string error = refuse(op, attributes);
    EXPECT_EQ(error.find("test.onnx: node \"n_y\" (" + op + "): " + text), 0U) << error;
  };
  expect("Conv", {{"strides", Ints{1, 1}}}, "kernel [2,2,2], strides [1,1], dilations [1,1,1]");
  expect("Conv", {{"kernel_shape", Ints{3, 2, 2}}}, "attribute kernel_shape is [3,2,2], weights");
  expect("Conv", {{"auto_pad", "SOME"s}}, "attribute auto_pad is \"SOME\"; supported are NOTSET");
  expect("Conv", {{"dilations", Ints{3, 1, 1}}}, "its result would have shape [1,2,0,3,3]");
  expect("ConvTranspose", {{"output_shape", Ints{4, 4, 4}}},
         "attributes output_shape, auto_pad or");
}

TEST(Refusal, Forms) {
  expect_refusal({"Relu", {}, "has 2 inputs; allowed are 1 to 1"}, {"x", "x"});
  expect_refusal({"Relu",
                  {{"slope", 1.0F}},
                  "attribute \"slope\" does not belong to this operator here; allowed are: none"},
                 {"x"});
  expect_refusal({"Ceil", {}, "has 2 inputs; allowed are 1 to 1"}, {"x", "x"});
  expect_refusal({"Ceil", {}, "input 0 is missing"}, {""});
  expect_refusal({"HardSwish", {}, "operator set 13 does not have this operator"}, {"x"});
  expect_refusal({"Upsample", {}, "operator set 10 does not have this operator", 10}, {"x", "q"});
  expect_refusal({"Squeeze",
                  {{"axes", Ints{0}}},
                  "attribute \"axes\" does not belong to this operator here; allowed are: none"},
                 {"x"});
  expect_refusal({"Gemm", {}, "input 2 is missing", 9}, {"r", "m"});
  expect_refusal({"Pad", {}, "has 4 inputs; allowed are 2 to 3"}, {"x", "i", "", "i"});
  // Absent inputs may be written out.
  EXPECT_EQ(refuse_one({"Relu", {}, ""}, {"x", "", ""}), "");
}

TEST(Refusal, MatrixProducts) {
  expect_refusal({"Gemm",
                  {{"transB", std::int64_t{1}}},
                  "\"r\" of shape [1,4] cannot be multiplied by \"m\" of shape [4,3]"},
                 {"r", "m"});
  EXPECT_EQ(refuse_one({"Gemm", {}, ""}, {"r", "m", "v"}),
            "test.onnx: node \"n_y\" (Add): shapes [1,3] and [4] do not broadcast");
  expect_refusal(
      {"MatMul", {}, "\"r\" of shape [1,4] cannot be multiplied by \"r\" of shape [1,4]"},
      {"r", "r"});
  expect_refusal(
      {"MatMul", {}, "the second operand \"w\" has shape [4,4,3,3]; supported is rank 2"},
      {"r", "w"});
}

TEST(Refusal, Arithmetic) {
  expect_refusal({"Add", {}, "shapes [1,4] and [3] do not broadcast"}, {"r", "short"});
  expect_refusal({"Add", {}, "constant \"i\" holds INT64 elements; supported is FLOAT"},
                 {"r", "i"});
  expect_refusal({"Div",
                  {},
                  "the machine has no lookup tables for Reciprocal (lookup_tables of the "
                  "architecture: a count of 2 or more, and one register more than tables in "
                  "simd_registers_depth)"},
                 {"v", "r"});
}

TEST(Refusal, Activations) {
  expect_refusal({"Clip", {}, "min has shape [3]; supported is one value"}, {"x", "short"});
  expect_refusal({"Softmax",
                  {{"axis", std::int64_t{4}}},
                  "axis 4 is outside the 4 dimensions; supported are -4 to 3"},
                 {"x"});
}

TEST(Refusal, FunctionInsideTheModel) {
  GraphMaker maker;
  maker.input("x", {1, 4}).weights("m", {4, 3}, 1.0F).node("Relu", {"x"}, {"r"});
  maker.node("Sqrt", {"r"}, {"s"}).node("MatMul", {"s", "m"}, {"y"}).output("y");
  EXPECT_EQ(refusal(maker.graph),
            "test.onnx: node \"n_s\" (Sqrt): the machine has no lookup tables for Sqrt "
            "(lookup_tables of the architecture: a count of 2 or more, and one register more than "
            "tables in simd_registers_depth)\n"
            "test.onnx: what comes before can be compiled alone: --output-tensor \"r\"");
}

TEST(Refusal, Normalisation) {
  expect_refusal({"BatchNormalization", {}, "mean has shape [3]; supported is [4]"},
                 {"x", "v", "v", "short", "v"});
  expect_refusal({"BatchNormalization",
                  {{"spatial", std::int64_t{0}}},
                  "attribute spatial is 0; "
                  "supported is 1",
                  7},
                 {"x", "v", "v", "v", "v"});
}

TEST(Refusal, Pools) {
  expect_refusal({"MaxPool",
                  {{"kernel_shape", Ints{2, 2}}, {"pads", Ints{2, 0, 0, 0}}},
                  "a window lies in the padding altogether; supported are pads below the kernel"},
                 {"x"});
  expect_refusal({"AveragePool",
                  {{"kernel_shape", Ints{3}}},
                  "attribute kernel_shape is [3]; supported are 2 values, each 1 to 1048576"},
                 {"x"});
  EXPECT_NE(refuse_one({"MaxPool", {}, ""}, {"x"}).find("kernel_shape"), std::string::npos);
}

TEST(Refusal, Resize) {
  expect_refusal({"Resize",
                  {{"mode", "quadratic"s}},
                  "attribute mode is \"quadratic\"; supported are nearest, linear, cubic"},
                 {"x", "", "v"});
  expect_refusal({"Resize",
                  {{"coordinate_transformation_mode", "middle"s}},
                  "attribute coordinate_transformation_mode is \"middle\"; supported are "
                  "align_corners, asymmetric, half_pixel, half_pixel_symmetric, "
                  "pytorch_half_pixel, tf_crop_and_resize, tf_half_pixel_for_nn"},
                 {"x", "", "v"});
  expect_refusal({"Resize",
                  {{"mode", "cubic"s}, {"coordinate_transformation_mode", "middle"s}},
                  "attribute coordinate_transformation_mode is \"middle\"; supported are "
                  "align_corners, asymmetric, half_pixel, half_pixel_symmetric, "
                  "pytorch_half_pixel, tf_crop_and_resize, tf_half_pixel_for_nn"},
                 {"x", "", "v"});
  expect_refusal({"Resize",
                  {},
                  "sizes are [1,2]; supported are 4 values, N and C as those of the "
                  "input [1,4,6,6]"},
                 {"x", "", "", "i"});
  expect_refusal({"Resize", {}, "scales (input 2) is missing"}, {"x"});
}

TEST(Refusal, Rearrangements) {
  expect_refusal({"Reshape", {}, "shape [1,4,6,6] cannot become [1,2]"}, {"x", "i"});
  expect_refusal({"Squeeze",
                  {{"axes", Ints{1}}},
                  "axis 1 of shape [1,4,6,6] has 4 elements; supported is 1",
                  11},
                 {"x"});
  expect_refusal({"Concat",
                  {{"axis", std::int64_t{7}}},
                  "axis 7 is outside the 4 dimensions; supported are -4 to 3"},
                 {"x", "x"});
  expect_refusal({"Concat",
                  {{"axis", std::int64_t{0}}},
                  "inputs of shapes [1,4,6,6] and [1,4] cannot be joined along axis 0"},
                 {"x", "r"});
  expect_refusal({"Split",
                  {{"axis", std::int64_t{1}}, {"split", Ints{3}}},
                  "split [3] does not cut 4 elements into 1 parts",
                  11},
                 {"x"});
  expect_refusal({"Pad",
                  {{"mode", "some"s}, {"pads", Ints(8, 0)}},
                  "attribute mode is \"some\"; supported are constant, edge, reflect, wrap",
                  10},
                 {"x"});
  expect_refusal({"Transpose",
                  {{"perm", Ints{0, 1, 1, 2}}},
                  "attribute perm is [0,1,1,2]; supported are permutations of 4 dimensions"},
                 {"x"});
}

TEST(Refusal, InputsOfOtherTypes) {
  GraphMaker maker;
  maker.input("x", {1, 4}).input("shape", {2}).node("Reshape", {"x", "shape"}, {"y"}).output("y");
  maker.graph.inputs[1].type = nn::ElementType::int64;
  EXPECT_EQ(
      refusal(maker.graph)
          .rfind("test.onnx: node \"n_y\" (Reshape): input 1 (\"shape\") holds INT64 elements, "
                 "which the program has not",
                 0),
      0U)
      << refusal(maker.graph);
}

TEST(Refusal, AllReasonsAreReportedTogether) {
  GraphMaker maker;
  maker.input("x", {1, 4, 6, 6}).weights("w", {4, 4, 3, 3}, 1.0F);
  maker.node("Conv", {"x", "w"}, {"c"}, {{"auto_pad", "SOME"s}, {"strides", Ints{0, 1}}});
  maker.node("Relu", {"c"}, {"r"});
  maker.node("Unique", {"r"}, {"s"});
  maker.node("MaxPool", {"s"}, {"p"}, {{"kernel_shape", Ints{2, 2, 2}}});
  maker.node("Gemm", {"p", "w"}, {"y"}, {{"transA", std::int64_t{1}}}).output("y");
  const std::string text = refusal(maker.graph);
  for (const std::string part :
       {"node \"n_c\" (Conv): attribute strides",
        "node \"n_s\" (Unique): the operator is not "
        "supported",
        "node \"n_p\" (MaxPool): attribute kernel_shape",
        "node \"n_y\" (Gemm): attribute transA is 1", "node \"n_y\" (Gemm): the second operand",
        "supported operators: Abs, Add, And, Atan, Attention, AveragePool, BatchNormalization, "}) {
    EXPECT_NE(text.find(part), std::string::npos) << part << " in\n" << text;
  }
  // Only the first problem is reported, not problems that it causes.
  EXPECT_EQ(text.find("n_r"), std::string::npos) << text;
}

TEST(Refusal, OperatorSetsOutputsAndConstants) {
  GraphMaker maker(29);
  maker.input("x", {1, 4}).node("Relu", {"x"}, {"relu"}).output("relu");
  EXPECT_EQ(refusal(maker.graph),
            "test.onnx: operator set 29 is not supported; supported are 7 to 28");
  maker.graph.opset = 6;
  EXPECT_NE(refusal(maker.graph), "");
  maker.graph.opset = 7;
  EXPECT_EQ(refusal(maker.graph), "");
  Options options;
  options.outputs = {"rely"};
  EXPECT_EQ(refusal(maker.graph, 4, options),
            "test.onnx: output \"rely\" is made by no node; did you mean \"relu\"?; the graph's "
            "outputs are \"relu\"");
  options.outputs = {"relu", "relu"};
  EXPECT_EQ(refusal(maker.graph, 4, options), "test.onnx: output \"relu\" is asked for twice");
  GraphMaker constant;
  constant.input("x", {1, 4}).node("Shape", {"x"}, {"y"}).output("y");
  EXPECT_EQ(refusal(constant.graph), "");
  options = {};
  options.compat = true;
  EXPECT_EQ(refusal(constant.graph, 4, options), "test.onnx: output \"y\" is constant");
}

TEST(Refusal, OutputsThatAnOperatorDoesNotHave) {
  GraphMaker maker;
  maker.input("x", {1, 4, 2, 2}).node("Relu", {"x"}, {"a", "b"});
  maker.graph.nodes[0].outputs[0].clear();
  maker.output("b");
  EXPECT_EQ(refusal(maker.graph),
            "test.onnx: node \"n_a\" (Relu): output 1 (\"b\") is not supported");
  GraphMaker pool;
  pool.input("x", {1, 4, 2, 2});
  pool.node("MaxPool", {"x"}, {"y", "i"}, {{"kernel_shape", Ints{2, 2}}}).output("y");
  EXPECT_EQ(refusal(pool.graph), "");  // no node reads the indices
  pool.output("i");
  EXPECT_EQ(refusal(pool.graph), "");  // the host computes both outputs
  Options options;
  options.compat = true;
  EXPECT_EQ(refusal(pool.graph, 4, options)
                .rfind("test.onnx: node \"n_y\" (MaxPool): output 1 (Indices) is not supported", 0),
            0U)
      << refusal(pool.graph, 4, options);
  GraphMaker undefined;
  undefined.input("x", {1, 4}).node("Add", {"x", "nothing"}, {"y"}).output("y");
  EXPECT_EQ(refusal(undefined.graph),
            "test.onnx: output \"y\" depends on a value that is not defined");
}

/// 64 x 64 weights, of which few are 0, need about 512 vectors of 8.
TEST(Refusal, WeightsThatNoProgramCanHold) {
  GraphMaker maker(13);
  maker.input("x", {1, 64}).weights("w", {64, 64}, 1.0F);
  maker.node("MatMul", {"x", "w"}, {"y"}).output("y");
  tcu::Architecture machine = architecture(8);
  machine.dram1_depth = 400;
  Options optimised;
  optimised.optimise = true;
  for (const Options& options : {Options(), optimised}) {
    const std::string error = error_of([&] { (void)compile(maker.graph, machine, options); });
    EXPECT_EQ(error.find("out of DRAM1 for 40"), 0U) << error;
    EXPECT_NE(error.find("weights: at least 5"), std::string::npos) << error;
    EXPECT_NE(error.find("vectors needed, there are 400; needed is an architecture with a larger "
                         "dram1_depth, or fewer weights"),
              std::string::npos)
        << error;
  }
}

TEST(Refusal, OutOfMemory) {
  GraphMaker maker;
  maker.input("x", {1, 4, 6, 6}).weights("w", {8, 4, 3, 3}, 1.0F);
  maker.node("Conv", {"x", "w"}, {"y"}).output("y");
  const auto with = [&](auto change) {
    tcu::Architecture a = architecture(4);
    change(a);
    try {
      (void)compile(maker.graph, a);
    } catch (const UserError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  const std::string dram0 = with([](tcu::Architecture& a) { a.dram0_depth = 35; });
  EXPECT_NE(dram0.find("DRAM0"), std::string::npos) << dram0;
  EXPECT_NE(dram0.find("35"), std::string::npos) << dram0;
  const std::string dram1 = with([](tcu::Architecture& a) { a.dram1_depth = 50; });
  EXPECT_NE(dram1.find("DRAM1"), std::string::npos) << dram1;
  // One pixel of one output block takes 9 taps of 4 rows, the bias vector, 9 inputs and 1 result in
  // local memory.
  const std::string local = with([](tcu::Architecture& a) { a.local_depth = 40; });
  EXPECT_NE(local.find("local"), std::string::npos) << local;
  EXPECT_NE(local.find("n_y"), std::string::npos) << local;
}

}  // namespace
}  // namespace tactus::compiler
