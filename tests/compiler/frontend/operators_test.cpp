// Every operator: compiled, simulated, and compared with plain arithmetic.
//
// Each graph runs on arrays of 2, 4 and 8 lanes, so that channels are split over several vectors,
// fill one, or are padded.
#include <ostream>
#include <utility>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "tests/compiler/frontend/graphs.h"

namespace tactus::compiler {
namespace {

using namespace std::string_literals;

void check(const GraphMaker& maker, float tolerance = 0.05F) {
  for (const std::uint32_t n : {2U, 4U, 8U}) {
    expect_near_reference(maker.graph, architecture(n), {}, tolerance);
  }
}

struct ConvCase {
  std::string name;
  nn::Shape input, weights;
  Attributes attributes;
};

void PrintTo(const ConvCase& tested, std::ostream* out) { *out << tested.name; }

class Convolution : public testing::TestWithParam<ConvCase> {};

TEST_P(Convolution, EqualsThePlainSum) {
  const ConvCase& c = GetParam();
  for (const bool bias : {false, true}) {
    GraphMaker maker;
    maker.input("x", c.input).weights("w", c.weights, 0.25F);
    if (bias) maker.weights("b", {c.weights[0]}, 1.0F);
    maker.node("Conv",
               bias ? std::vector<std::string>{"x", "w", "b"} : std::vector<std::string>{"x", "w"},
               {"y"}, c.attributes);
    check(maker.output("y"), 0.2F);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Convolution,
    testing::Values(ConvCase{"plain", {1, 3, 5, 4}, {5, 3, 2, 3}, {}},
                    ConvCase{"batch", {2, 3, 4, 4}, {3, 3, 2, 2}, {}},
                    ConvCase{"strides", {1, 2, 7, 6}, {3, 2, 3, 2}, {{"strides", Ints{2, 3}}}},
                    ConvCase{"pads", {1, 2, 4, 5}, {3, 2, 3, 3}, {{"pads", Ints{1, 0, 2, 1}}}},
                    ConvCase{"dilations",
                             {1, 2, 7, 7},
                             {3, 2, 3, 2},
                             {{"dilations", Ints{2, 3}}, {"pads", Ints{1, 1, 1, 1}}}},
                    ConvCase{"groups", {1, 6, 3, 3}, {4, 3, 2, 2}, {{"group", std::int64_t{2}}}},
                    ConvCase{"depthwise", {1, 6, 3, 3}, {6, 1, 2, 2}, {{"group", std::int64_t{6}}}},
                    ConvCase{"same_upper",
                             {1, 2, 5, 6},
                             {2, 2, 2, 3},
                             {{"auto_pad", "SAME_UPPER"s}, {"strides", Ints{2, 2}}}},
                    ConvCase{
                        "same_lower", {1, 2, 5, 6}, {2, 2, 2, 2}, {{"auto_pad", "SAME_LOWER"s}}},
                    ConvCase{"valid", {1, 2, 5, 6}, {2, 2, 2, 2}, {{"auto_pad", "VALID"s}}}),
    [](const auto& tested) { return tested.param.name; });

TEST(Gemm, BothLayoutsOfTheWeightsAndAllScales) {
  for (const std::int64_t transposed : {0, 1}) {
    const nn::Shape shape = transposed != 0 ? nn::Shape{5, 7} : nn::Shape{7, 5};
    GraphMaker maker;
    maker.input("x", {3, 7}).weights("w", shape, 0.5F).weights("c", {1, 5}, 1.0F);
    maker.node("Gemm", {"x", "w", "c"}, {"y"},
               {{"transB", transposed}, {"alpha", 0.5F}, {"beta", 2.0F}});
    check(maker.output("y"), 0.1F);
  }
}

TEST(Gemm, OneValueForAllOutputs) {
  GraphMaker maker;
  maker.input("x", {1, 3}).weights("w", {3, 5}, 0.5F).constant("c", floats({1}, {1.5F}));
  check(maker.node("Gemm", {"x", "w", "c"}, {"y"}).output("y"));
}

TEST(MatMul, RowsOfAMatrixAndOfAnImage) {
  GraphMaker matrix;
  matrix.input("x", {3, 5}).weights("w", {5, 6}, 0.5F).node("MatMul", {"x", "w"}, {"y"});
  check(matrix.output("y"), 0.1F);
  GraphMaker image;
  image.input("x", {1, 5, 2, 3}).weights("w", {5, 6}, 0.5F);
  image.node("Transpose", {"x"}, {"t"}, {{"perm", Ints{0, 2, 3, 1}}});
  check(image.node("MatMul", {"t", "w"}, {"y"}).output("y"), 0.1F);
}

TEST(Arithmetic, OperationsOnTwoComputedTensors) {
  for (const std::string op : {"Add", "Sub", "Mul"}) {
    GraphMaker maker;
    maker.input("a", {1, 5, 2, 3}).input("b", {1, 5, 2, 3}).node(op, {"a", "b"}, {"y"});
    check(maker.output("y"));
  }
}

TEST(Arithmetic, AnOperandWithItself) {
  for (const std::string op : {"Add", "Sub", "Mul"}) {
    GraphMaker maker;
    maker.input("a", {1, 5, 2, 3}).node(op, {"a", "a"}, {"y"});
    check(maker.output("y"));
  }
}

TEST(Arithmetic, ConstantsOfAllShapesOnBothSides) {
  for (const std::string op : {"Add", "Sub", "Mul"}) {
    for (const nn::Shape& shape :
         {nn::Shape{}, nn::Shape{1}, nn::Shape{3}, nn::Shape{2, 1}, nn::Shape{5, 1, 1},
          nn::Shape{1, 1, 2, 3}, nn::Shape{1, 5, 2, 3}}) {
      for (const bool first : {false, true}) {
        GraphMaker maker;
        maker.input("a", {1, 5, 2, 3}).weights("c", shape, 2.0F);
        maker.node(op,
                   first ? std::vector<std::string>{"c", "a"} : std::vector<std::string>{"a", "c"},
                   {"y"});
        check(maker.output("y"));
      }
    }
  }
}

TEST(Arithmetic, BroadcastOfAnActivation) {
  GraphMaker maker;
  maker.input("a", {2, 5, 2, 3}).input("b", {1, 5, 1, 3}).node("Mul", {"b", "a"}, {"y"});
  check(maker.output("y"));
}

TEST(Activation, All) {
  const auto one = [](const std::string& op, const Attributes& attributes) {
    GraphMaker maker(op == "Clip" ? 10 : 13);
    maker.input("x", {1, 5, 2, 3}).node(op, {"x"}, {"y"}, attributes);
    check(maker.output("y"));
  };
  one("Relu", {});
  one("LeakyRelu", {{"alpha", 0.25F}});
  one("LeakyRelu", {});
  one("Clip", {{"min", -0.5F}, {"max", 1.0F}});
  one("Clip", {{"max", 1.0F}});
}

TEST(Activation, ClipWithBoundsAsInputs) {
  GraphMaker maker;
  maker.input("x", {1, 5, 2, 3});
  maker.constant("low", floats({}, {-1.0F})).constant("high", floats({}, {0.5F}));
  maker.node("Clip", {"x", "low", "high"}, {"y"}).node("Clip", {"x", "", "high"}, {"z"});
  check(maker.output("y").output("z"));
}

TEST(Normalisation, PerChannel) {
  GraphMaker maker;
  maker.input("x", {1, 5, 2, 3}).weights("s", {5}, 1.5F).weights("o", {5}, 1.0F);
  maker.weights("m", {5}, 1.0F).constant("v", floats({5}, {1.0F, 2.0F, 0.5F, 0.25F, 4.0F}));
  maker.node("BatchNormalization", {"x", "s", "o", "m", "v"}, {"y"}, {{"epsilon", 0.001F}});
  check(maker.output("y"), 0.1F);
}

struct PoolCase {
  std::string name, op;
  Attributes attributes;
};

void PrintTo(const PoolCase& tested, std::ostream* out) { *out << tested.name; }

class Pool : public testing::TestWithParam<PoolCase> {};

TEST_P(Pool, EqualsThePlainPool) {
  GraphMaker maker;
  maker.input("x", {2, 5, 6, 7}).node(GetParam().op, {"x"}, {"y"}, GetParam().attributes);
  check(maker.output("y"));
}

const Attributes padded{
    {"kernel_shape", Ints{3, 2}}, {"strides", Ints{2, 2}}, {"pads", Ints{1, 0, 1, 1}}};

Attributes with(Attributes attributes, const std::string& name, nn::Attribute value) {
  attributes[name] = std::move(value);
  return attributes;
}

INSTANTIATE_TEST_SUITE_P(
    Cases, Pool,
    testing::Values(
        PoolCase{"max", "MaxPool", {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}},
        PoolCase{"max_stride_1", "MaxPool", {{"kernel_shape", Ints{2, 3}}}},
        PoolCase{"max_padded", "MaxPool", padded},
        PoolCase{"max_ceil", "MaxPool", with(padded, "ceil_mode", std::int64_t{1})},
        PoolCase{
            "max_dilated", "MaxPool", {{"kernel_shape", Ints{2, 2}}, {"dilations", Ints{2, 3}}}},
        PoolCase{
            "max_same",
            "MaxPool",
            {{"kernel_shape", Ints{3, 3}}, {"strides", Ints{2, 2}}, {"auto_pad", "SAME_UPPER"s}}},
        PoolCase{"max_single", "MaxPool", {{"kernel_shape", Ints{1, 1}}, {"strides", Ints{2, 2}}}},
        PoolCase{"average", "AveragePool", {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}}},
        PoolCase{"average_other_stride",
                 "AveragePool",
                 {{"kernel_shape", Ints{3, 2}}, {"strides", Ints{1, 3}}}},
        PoolCase{"average_padded", "AveragePool", padded},
        PoolCase{"average_counts_padding", "AveragePool",
                 with(padded, "count_include_pad", std::int64_t{1})},
        PoolCase{"average_ceil", "AveragePool", with(padded, "ceil_mode", std::int64_t{1})},
        PoolCase{
            "average_ceil_counts_padding", "AveragePool",
            with(with(padded, "ceil_mode", std::int64_t{1}), "count_include_pad", std::int64_t{1})},
        PoolCase{"average_single", "AveragePool", {{"kernel_shape", Ints{1, 1}}}},
        PoolCase{"global", "GlobalAveragePool", {}}),
    [](const auto& tested) { return tested.param.name; });

TEST(Pool, GlobalAverageOfOnePixel) {
  GraphMaker maker;
  maker.input("x", {1, 5, 1, 1}).node("GlobalAveragePool", {"x"}, {"y"});
  check(maker.output("y"));
}

TEST(Resize, EveryModeAndTransform) {
  for (const std::string mode : {"linear", "nearest"}) {
    for (const std::string transform :
         {"half_pixel", "pytorch_half_pixel", "align_corners", "asymmetric"}) {
      for (const Ints& size : {Ints{6, 8}, Ints{2, 2}, Ints{1, 5}, Ints{3, 4}}) {
        GraphMaker maker(11);
        maker.input("x", {2, 5, 3, 4}).constant("none", floats({0}, {}));
        maker.constant("sizes", integers({2, 5, size[0], size[1]}));
        maker.node("Resize", {"x", "none", "none", "sizes"}, {"y"},
                   {{"mode", mode}, {"coordinate_transformation_mode", transform}});
        check(maker.output("y"));
      }
    }
  }
}

TEST(Resize, NearestRoundings) {
  for (const std::string rounding : {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) {
    GraphMaker maker;
    maker.input("x", {1, 3, 4, 4}).constant("scales", floats({4}, {1, 1, 2.5F, 0.5F}));
    maker.node("Resize", {"x", "", "scales"}, {"y"},
               {{"mode", "nearest"s}, {"nearest_mode", rounding}});
    check(maker.output("y"));
  }
}

TEST(Resize, OperatorSet10) {
  for (const std::string mode : {"linear", "nearest"}) {
    for (const float scale : {2.0F, 0.5F, 1.5F}) {
      GraphMaker maker(10);
      maker.input("x", {1, 3, 4, 4}).constant("scales", floats({4}, {1, 1, scale, scale}));
      maker.node("Resize", {"x", "scales"}, {"y"}, {{"mode", mode}});
      check(maker.output("y"));
    }
  }
}

TEST(Rearrange, FlattenKeepsTheOrderOfTheModel) {
  for (const std::int64_t axis : {0, 1, 2, 3, 4, -1}) {
    GraphMaker maker;
    maker.input("x", {2, 5, 2, 3}).node("Flatten", {"x"}, {"y"}, {{"axis", axis}});
    check(maker.output("y"));
  }
}

TEST(Rearrange, ReshapeBetweenAllRanks) {
  for (const nn::Shape& from :
       {nn::Shape{24}, nn::Shape{2, 12}, nn::Shape{2, 3, 4}, nn::Shape{1, 6, 2, 2}}) {
    for (const Ints& to :
         {Ints{24}, Ints{4, 6}, Ints{3, -1, 4}, Ints{0, 4, -1, 1}, Ints{2, 2, 2, 3}}) {
      if (to[0] == 0 && from[0] == 24) continue;
      GraphMaker maker;
      maker.input("x", from).constant("shape", integers(to));
      check(maker.node("Reshape", {"x", "shape"}, {"y"}).output("y"));
    }
  }
}

TEST(Rearrange, SqueezeAndUnsqueezeByAttributeAndByInput) {
  GraphMaker old(11);
  old.input("x", {1, 5, 1, 3}).node("Squeeze", {"x"}, {"s"}, {{"axes", Ints{0, 2}}});
  old.node("Unsqueeze", {"s"}, {"u"}, {{"axes", Ints{0, -1}}}).node("Squeeze", {"x"}, {"all"});
  check(old.output("s").output("u").output("all"));
  GraphMaker late(13);
  late.input("x", {1, 5, 1, 1}).constant("axes", integers({2, 3})).constant("one", integers({1}));
  late.node("Squeeze", {"x", "axes"}, {"s"}).node("Unsqueeze", {"s", "one"}, {"u"});
  late.node("Unsqueeze", {"s", "axes"}, {"v"});
  check(late.output("s").output("u").output("v"));
}

TEST(Rearrange, ConcatAlongEveryAxis) {
  for (const std::int64_t axis : {0, 1, 2, -1}) {
    nn::Shape other{2, 3, 2, 3};
    other[static_cast<std::size_t>(axis < 0 ? axis + 4 : axis)] = 5;
    GraphMaker maker;
    maker.input("a", {2, 3, 2, 3}).input("b", other);
    maker.node("Concat", {"a", "b", "a"}, {"y"}, {{"axis", axis}});
    check(maker.output("y"));
  }
}

TEST(Rearrange, AlignedConcatAndSplitCostNothing) {
  GraphMaker maker;
  maker.input("a", {1, 8, 2, 2}).input("b", {1, 8, 2, 2});
  maker.node("Concat", {"a", "b"}, {"c"}, {{"axis", std::int64_t{1}}});
  maker.node("Split", {"c"}, {"d", "e"}, {{"axis", std::int64_t{1}}}).node("Relu", {"e"}, {"y"});
  maker.output("y");
  check(maker);
  EXPECT_EQ(compile(maker.graph, architecture(4)).layers.size(), 1U);
  EXPECT_EQ(compile(maker.graph, architecture(8)).layers.size(), 1U);
}

TEST(Rearrange, SplitEquallyAndByList) {
  for (const std::int64_t axis : {0, 1, 3}) {
    GraphMaker maker;
    maker.input("x", {6, 6, 1, 6});
    maker.node("Split", {"x"}, {"a", "b", "c"}, {{"axis", axis}});
    check(maker.output("a").output("b").output("c"));
  }
  GraphMaker listed(11);
  listed.input("x", {1, 7, 2, 1});
  listed.node("Split", {"x"}, {"a", "b"}, {{"axis", std::int64_t{1}}, {"split", Ints{3, 4}}});
  check(listed.output("a").output("b"));
  GraphMaker late(13);
  late.input("x", {1, 7, 2, 1}).constant("parts", integers({2, 5}));
  late.node("Split", {"x", "parts"}, {"a", "b"}, {{"axis", std::int64_t{1}}});
  check(late.output("b"));
}

TEST(Rearrange, SliceWithAxesStepsAndNegativeEnds) {
  GraphMaker late;
  late.input("x", {1, 7, 5, 4})
      .constant("starts", integers({1, -1}))
      .constant("ends", integers({-1, -9}));
  late.constant("axes", integers({1, 2})).constant("steps", integers({2, -2}));
  late.node("Slice", {"x", "starts", "ends", "axes", "steps"}, {"y"});
  check(late.output("y"));
  GraphMaker old(9);
  old.input("x", {1, 7, 5, 4});
  old.node("Slice", {"x"}, {"y"}, {{"starts", Ints{0, 2, 1}}, {"ends", Ints{1, 1000, 4}}});
  check(old.output("y"));
}

TEST(Rearrange, PadInEveryModeByAttributeAndByInput) {
  for (const std::string mode : {"constant", "edge", "reflect"}) {
    GraphMaker old(10);
    old.input("x", {1, 3, 4, 4});
    old.node("Pad", {"x"}, {"y"},
             {{"mode", mode}, {"pads", Ints{0, 0, 1, 2, 0, 0, 3, 0}}, {"value", 1.5F}});
    check(old.output("y"));
    GraphMaker late;
    late.input("x", {1, 3, 4, 4}).constant("value", floats({}, {-0.75F}));
    late.constant("pads", integers({0, mode == "constant" ? 2 : 1, 1, 0, 0, 1, 0, 2}));
    late.node("Pad", {"x", "pads", "value"}, {"y"}, {{"mode", mode}});
    check(late.output("y"));
  }
}

TEST(Rearrange, PaddedImageIntoAConvolution) {
  GraphMaker maker;
  maker.input("x", {1, 3, 4, 4}).weights("w", {4, 3, 3, 3}, 0.25F);
  maker.constant("pads", integers({0, 0, 1, 1, 0, 0, 1, 1}));
  maker.node("Pad", {"x", "pads"}, {"p"}).node("Conv", {"p", "w"}, {"y"});
  check(maker.output("y"), 0.2F);
}

TEST(Rearrange, FlattenBeforeAProductTurnsTheWeightsInstead) {
  for (const std::string op : {"MatMul", "Gemm"}) {
    for (const bool reshape : {false, true}) {
      GraphMaker maker;
      maker.input("x", {2, 8, 2, 3}).weights("w", {48, 5}, 0.25F);
      maker.constant("target", integers({2, -1}));
      maker.node(reshape ? "Reshape" : "Flatten",
                 reshape ? std::vector<std::string>{"x", "target"} : std::vector<std::string>{"x"},
                 {"f"});
      maker.node(op, {"f", "w"}, {"y"}).output("y");
      check(maker, 0.2F);
      EXPECT_EQ(compile(maker.graph, architecture(8)).layers.size(), 1U);
      // The flat tensor itself can be requested as an output.
      check(maker.output("f"), 0.2F);
      EXPECT_EQ(compile(maker.graph, architecture(8)).layers.size(), 2U);
    }
  }
}

TEST(Rearrange, FlattenOfPartlyFilledVectorsBeforeAProduct) {
  GraphMaker maker;
  maker.input("x", {1, 5, 2, 3}).weights("w", {30, 4}, 0.25F);
  maker.node("Flatten", {"x"}, {"f"}).node("MatMul", {"f", "w"}, {"y"}).output("y");
  check(maker, 0.2F);
}

TEST(Relabel, TransposeAndBack) {
  GraphMaker maker;
  maker.input("x", {1, 4, 3, 5}).weights("w", {6, 5, 1, 1}, 0.5F);
  maker.node("Transpose", {"x"}, {"t"}, {{"perm", Ints{0, 3, 1, 2}}});
  maker.node("Conv", {"t", "w"}, {"c"}).node("Relu", {"c"}, {"r"});
  maker.node("Transpose", {"r"}, {"y"}, {{"perm", Ints{0, 2, 3, 1}}});
  check(maker.output("y").output("c"), 0.1F);
}

TEST(Relabel, IdentityAndDropoutAddNoInstructions) {
  GraphMaker maker(10);
  maker.input("x", {1, 5}).node("Dropout", {"x"}, {"d"}).node("Identity", {"d"}, {"i"});
  maker.node("Relu", {"i"}, {"y"}).output("y").output("i");
  const Compiled compiled = compile(maker.graph, architecture(4));
  EXPECT_EQ(compiled.layers.size(), 1U);
  const auto values = run(compiled, {{"x", {-1, 2, -3, 4, 5}}});
  EXPECT_EQ(values.at("i"), (std::vector<float>{-1, 2, -3, 4, 5}));
  EXPECT_EQ(values.at("y"), (std::vector<float>{0, 2, 0, 4, 5}));
}

TEST(Folding, ShapeArithmeticOfAnExporter) {
  // x.reshape(x.shape[0], -1) as PyTorch exports it.
  GraphMaker maker(11);
  maker.input("x", {2, 3, 2, 2}).constant("zero", nn::Tensor::of({}, Ints{0}));
  maker.node("Shape", {"x"}, {"shape"}).node("Gather", {"shape", "zero"}, {"batch"});
  maker.node("Unsqueeze", {"batch"}, {"first"}, {{"axes", Ints{0}}});
  maker.node("Constant", {}, {"rest"}, {{"value", integers({-1})}});
  maker.node("Concat", {"first", "rest"}, {"target"}, {{"axis", std::int64_t{0}}});
  maker.node("Reshape", {"x", "target"}, {"y"});
  check(maker.output("y"));
  EXPECT_EQ(compile(maker.graph, architecture(4)).output_layouts[0].shape, (nn::Shape{2, 12}));
}

TEST(Folding, TensorsOfWhichOnlyTheShapeIsUsedAreNotComputed) {
  GraphMaker maker;
  maker.input("x", {1, 3, 2, 2}).input("like", {1, 3, 2, 2});
  maker.node("Relu", {"like"}, {"r"}).node("Shape", {"r"}, {"shape"});
  maker.node("Reshape", {"x", "shape"}, {"s"}).node("Relu", {"s"}, {"y"}).output("y");
  const Compiled compiled = compile(maker.graph, architecture(4));
  EXPECT_EQ(compiled.layers.size(), 1U);
  EXPECT_EQ(compiled.inputs.size(), 1U);
}

TEST(Folding, SizesOfAnUpsampling) {
  // Resize as tf2onnx exports it: sizes = concat(shape[:2], int(float(shape[2:]) * 2)).
  GraphMaker maker(11);
  maker.input("x", {1, 3, 2, 2}).constant("two", floats({1}, {2.0F}));
  maker.constant("i0", integers({0})).constant("i2", integers({2})).constant("i4", integers({4}));
  maker.constant("none", floats({0}, {}));
  maker.node("Shape", {"x"}, {"shape"}).node("Slice", {"shape", "i0", "i2"}, {"nc"});
  maker.node("Slice", {"shape", "i2", "i4"}, {"hw"});
  maker.node("Cast", {"hw"}, {"real"}, {{"to", std::int64_t{1}}})
      .node("Mul", {"real", "two"}, {"twice"});
  maker.node("Cast", {"twice"}, {"whole"}, {{"to", std::int64_t{7}}});
  maker.node("Concat", {"nc", "whole"}, {"sizes"}, {{"axis", std::int64_t{0}}});
  maker.node("Resize", {"x", "none", "none", "sizes"}, {"y"}, {{"mode", "nearest"s}});
  check(maker.output("y"));
}

TEST(Fusion, ResidualBlockIsOneLayerPerConvolution) {
  GraphMaker maker;
  maker.input("x", {1, 4, 5, 5})
      .weights("w1", {6, 4, 1, 1}, 0.5F)
      .weights("w2", {6, 4, 3, 3}, 0.2F);
  maker.weights("s", {6}, 1.0F).weights("o", {6}, 1.0F).weights("m", {6}, 0.5F);
  maker.constant("v", floats({6}, {1, 1, 2, 2, 1, 1}));
  maker.node("Conv", {"x", "w1"}, {"short"});
  maker.node("Conv", {"x", "w2"}, {"main"}, {{"pads", Ints{1, 1, 1, 1}}});
  maker.node("Add", {"short", "main"}, {"sum"});
  maker.node("BatchNormalization", {"sum", "s", "o", "m", "v"}, {"norm"});
  maker.node("Relu", {"norm"}, {"relu"});
  maker.node("MaxPool", {"relu"}, {"pool"},
             {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}});
  maker.output("pool").output("sum");
  check(maker, 0.2F);
  const Compiled compiled = compile(maker.graph, architecture(4));
  ASSERT_EQ(compiled.layers.size(), 2U);
  EXPECT_EQ(compiled.layers[1].nodes,
            (std::vector<std::string>{"n_main", "n_sum", "n_norm", "n_relu", "n_pool"}));
}

TEST(Fusion, AllStrategiesGiveTheSameNumbers) {
  GraphMaker maker;
  maker.input("x", {1, 3, 6, 6}).weights("w1", {5, 3, 3, 3}, 0.3F).weights("b1", {5}, 0.5F);
  maker.weights("w2", {45, 7}, 0.2F);
  maker.node("Conv", {"x", "w1", "b1"}, {"c"}, {{"pads", Ints{1, 1, 1, 1}}})
      .node("Relu", {"c"}, {"r"});
  maker.node("MaxPool", {"r"}, {"p"}, {{"kernel_shape", Ints{2, 2}}, {"strides", Ints{2, 2}}});
  maker.node("Flatten", {"p"}, {"f"}).node("MatMul", {"f", "w2"}, {"y"}).output("y");
  std::vector<std::vector<float>> results;
  for (const Strategy strategy : {Strategy::local_isolated, Strategy::local_vars,
                                  Strategy::local_consts, Strategy::local_vars_and_consts}) {
    Options options;
    options.strategy = strategy;
    const Compiled compiled = compile(maker.graph, architecture(4), options);
    results.push_back(run(compiled, values_for(compiled)).at("y"));
    EXPECT_EQ(results.back(), results.front()) << to_string(strategy);
    expect_near_reference(maker.graph, architecture(4), options, 0.3F);
  }
}

// ---- operators that are composed of others (expansion.h) ----------------------------------------

/// Compiles and compares one node with these attributes for an image, for rows and for a matrix.
/// All other operands are constants.
void check_node(const std::string& op, const nn::Shape& shape,
                const std::vector<std::pair<nn::Shape, float>>& constants,
                const Attributes& attributes, float tolerance = 0.06F, std::int64_t opset = 13) {
  SCOPED_TRACE(op + " on " + nn::to_string(shape));
  GraphMaker maker(opset);
  maker.input("x", shape);
  std::vector<std::string> inputs{"x"};
  for (const auto& [size, range] : constants) {
    inputs.push_back("c" + std::to_string(inputs.size()));
    maker.weights(inputs.back(), size, range);
  }
  check(maker.node(op, inputs, {"y"}, attributes).output("y"), tolerance);
}

TEST(Expansion, WindowsAlongOneDimension) {
  check_node("Conv", {2, 3, 9}, {{{5, 3, 4}, 0.25F}, {{5}, 1.0F}},
             {{"strides", Ints{2}}, {"pads", Ints{1, 2}}}, 0.2F);
  check_node("MaxPool", {1, 5, 9}, {}, {{"kernel_shape", Ints{3}}, {"strides", Ints{2}}});
  check_node("AveragePool", {1, 5, 9}, {}, {{"kernel_shape", Ints{3}}, {"pads", Ints{1, 1}}});
  check_node("GlobalAveragePool", {2, 5, 8}, {}, {});
  check_node("GlobalMaxPool", {1, 5, 3, 4}, {}, {});
}

TEST(Expansion, TransposedConvolutions) {
  check_node("ConvTranspose", {1, 3, 3, 4}, {{{3, 5, 3, 2}, 0.25F}, {{5}, 1.0F}}, {}, 0.2F);
  check_node("ConvTranspose", {1, 4, 3, 3}, {{{4, 3, 2, 2}, 0.25F}}, {{"strides", Ints{2, 3}}},
             0.2F);
  check_node("ConvTranspose", {2, 4, 3, 3}, {{{4, 2, 3, 3}, 0.25F}},
             {{"group", std::int64_t{2}},
              {"strides", Ints{2, 2}},
              {"pads", Ints{1, 0, 1, 2}},
              {"output_padding", Ints{1, 0}}},
             0.2F);
  check_node("ConvTranspose", {1, 3, 4, 4}, {{{3, 2, 3, 3}, 0.25F}}, {{"dilations", Ints{2, 1}}},
             0.2F);
  check_node("ConvTranspose", {1, 3, 3, 3}, {{{3, 2, 3, 3}, 0.25F}},
             {{"auto_pad", "SAME_UPPER"s}, {"strides", Ints{2, 2}}}, 0.2F);
  check_node("ConvTranspose", {1, 3, 5}, {{{3, 2, 4}, 0.25F}}, {{"strides", Ints{2}}}, 0.2F);
}

TEST(Expansion, MeansAndExtremes) {
  for (const std::string op : {"ReduceMean", "ReduceSum", "ReduceMax", "ReduceMin"}) {
    const float tolerance = op == "ReduceSum" ? 0.1F : 0.06F;
    // Operator set 11, since from set 13 on the axes of ReduceSum are an input.
    for (const Ints& axes : {Ints{2, 3}, Ints{1}, Ints{-1}, Ints{0, 2}, Ints{0, 1, 2, 3}}) {
      for (const std::int64_t keeps : {0, 1}) {
        // the result would be a scalar, which is one value here
        if (keeps == 0 && axes.size() == 4) continue;
        check_node(op, {1, 5, 2, 3}, {}, {{"axes", axes}, {"keepdims", keeps}}, tolerance, 11);
      }
    }
    check_node(op, {2, 3, 5}, {}, {{"axes", Ints{1}}}, tolerance, 11);
    check_node(op, {3, 7}, {}, {{"axes", Ints{1}}, {"keepdims", std::int64_t{0}}}, tolerance, 11);
  }
}

/// A sum that a constant makes an average is computed as one: it cannot saturate.
TEST(Expansion, SumsWithAFactorOfAnAverage) {
  struct Case {
    const char* op;
    float constant;
    bool constant_first;
    nn::Shape shape;
    std::int64_t axis;  ///< the first that is reduced; all behind it are, too
  };
  for (const auto& [op, constant, first, shape, axis] :
       {Case{"Mul", 1 / 256.0F, false, {1, 2, 16, 16}, 2},
        {"Div", 256, false, {1, 2, 16, 16}, 2},
        {"Mul", 0.75F / 64, true, {1, 3, 8, 8}, 2},
        {"Div", 50, false, {3, 100}, 1},
        {"Mul", -0.001F, true, {2, 1000}, 1},
        {"Div", 1000, false, {2, 10, 100}, 1}}) {
    GraphMaker maker;
    Ints axes;
    for (auto a = axis; a < static_cast<std::int64_t>(shape.size()); ++a) axes.push_back(a);
    maker.input("x", shape).constant("axes", integers(axes)).constant("c", floats({}, {constant}));
    maker.node("ReduceSum", {"x", "axes"}, {"sum"});
    maker.node(op,
               first ? std::vector<std::string>{"c", "sum"} : std::vector<std::string>{"sum", "c"},
               {"y"});
    maker.output("y");
    for (const std::uint32_t n : {4U, 8U}) {
      const Compiled compiled = compile(maker.graph, architecture(n), {});
      const std::map<std::string, std::vector<float>> inputs{
          {"x", std::vector<float>(static_cast<std::size_t>(nn::element_count(shape)), 50)}};
      // Eight steps of FP16BP8: four of the mean, up to twice.
      expect_near_values(maker.graph, compiled, inputs, run(compiled, inputs), 8 / 256.0F);
    }
  }
}

TEST(Expansion, ListsOfOperands) {
  for (const std::string op : {"Sum", "Mean", "Min", "Max"}) {
    for (const std::size_t count : {1U, 2U, 3U}) {
      GraphMaker maker;
      maker.input("a", {1, 5, 2, 3}).weights("c", {5, 1, 1}, 2.0F);
      if (count > 1) maker.input("b", {1, 5, 1, 1});
      const std::vector<std::string> all{"a", "b", "c"};
      maker.node(op, {all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)}, {"y"});
      check(maker.output("y"));
    }
  }
}

TEST(Expansion, BroadcastOfRanksLanesAndOrders) {
  for (const std::string op : {"Add", "Sub", "Mul", "Max"}) {
    GraphMaker ranks;
    ranks.input("a", {2, 5, 2, 3}).input("b", {2, 3}).node(op, {"b", "a"}, {"y"});
    check(ranks.output("y"));
    GraphMaker lanes;
    lanes.input("a", {1, 5, 2, 3}).input("b", {1, 1, 2, 3}).node(op, {"a", "b"}, {"y"});
    check(lanes.output("y"));
    GraphMaker orders;
    orders.input("a", {1, 5, 5, 5}).input("b", {1, 5, 5, 5});
    orders.node("Transpose", {"b"}, {"t"}, {{"perm", Ints{0, 3, 1, 2}}});
    check(orders.node(op, {"a", "t"}, {"y"}).output("y"));
  }
}

TEST(Expansion, DivisorsOfAllSizes) {
  for (const float by : {0.5F, 3.0F, -7.0F, 255.0F, 1000.0F, 70000.0F}) {
    GraphMaker maker;
    maker.input("x", {1, 5, 2, 3}).constant("c", floats({}, {by})).node("Div", {"x", "c"}, {"y"});
    check(maker.output("y"), 0.03F);
  }
}

TEST(Expansion, SlopesOfAllSizes) {
  check_node("PRelu", {1, 5, 2, 3}, {{{5, 1, 1}, 0.9F}}, {});
  check_node("PRelu", {1, 5, 2, 3}, {{{5, 1, 1}, 3.0F}}, {}, 0.1F);
  check_node("LeakyRelu", {1, 5, 2, 3}, {}, {{"alpha", 1.75F}});
}

TEST(Expansion, RearrangementsOfElements) {
  check_node("DepthToSpace", {1, 12, 2, 3}, {}, {{"blocksize", std::int64_t{2}}});
  check_node("DepthToSpace", {2, 8, 2, 3}, {}, {{"blocksize", std::int64_t{2}}, {"mode", "CRD"s}});
  check_node("SpaceToDepth", {1, 3, 4, 6}, {}, {{"blocksize", std::int64_t{2}}});
  const auto with_list = [](const std::string& op, const nn::Shape& shape, Ints list,
                            const Attributes& attributes = {}) {
    GraphMaker maker;
    maker.input("x", shape).constant("i", integers(std::move(list)));
    check(maker.node(op, {"x", "i"}, {"y"}, attributes).output("y"));
  };
  with_list("Gather", {1, 6, 2, 2}, {5, 0, -2, 3}, {{"axis", std::int64_t{1}}});
  with_list("Gather", {2, 3}, {1}, {{"axis", std::int64_t{-1}}});
  with_list("Tile", {1, 3, 2, 2}, {1, 2, 1, 3});
  with_list("Expand", {1, 3, 1, 2}, {2, 3, 4, 2});
  with_list("Expand", {3}, {2, 3});
  GraphMaker pad(19);
  pad.input("x", {1, 3, 2, 4})
      .constant("p", integers({1, 0, 2, 3}))
      .constant("a", integers({2, 3}));
  check(pad.node("Pad", {"x", "p", "", "a"}, {"y"}, {{"mode", "wrap"s}}).output("y"));
  GraphMaker concat;
  concat.input("x", {1, 3, 2, 2}).weights("c", {1, 2, 2, 2}, 1.0F);
  check(concat.node("Concat", {"c", "x"}, {"y"}, {{"axis", std::int64_t{1}}}).output("y"));
}

TEST(Expansion, ProductsOfAllRanks) {
  GraphMaker turned;
  turned.input("x", {7, 3}).weights("w", {7, 5}, 0.5F).weights("c", {3, 1}, 1.0F);
  turned.node("Gemm", {"x", "w", "c"}, {"y"}, {{"transA", std::int64_t{1}}, {"beta", 0.5F}});
  check(turned.output("y"), 0.1F);
  check_node("MatMul", {2, 3, 5}, {{{5, 4}, 0.5F}}, {}, 0.1F);
  check_node("MatMul", {2, 3, 5}, {{{2, 5, 4}, 0.5F}}, {}, 0.1F);
  check_node("MatMul", {1, 2, 3, 5}, {{{1, 2, 5, 4}, 0.5F}}, {}, 0.1F);
  check_node("MatMul", {3, 5}, {{{5}, 0.5F}}, {}, 0.1F);
}

TEST(Expansion, LayoutsThatTransposesMade) {
  GraphMaker maker;
  maker.input("x", {1, 4, 6, 6}).weights("w", {4, 6, 1, 1}, 0.25F);
  maker.node("Relu", {"x"}, {"r"}).node("Transpose", {"r"}, {"t"}, {{"perm", Ints{0, 2, 1, 3}}});
  check(maker.node("Conv", {"t", "w"}, {"y"}).output("y"), 0.1F);
  GraphMaker rescaled;
  rescaled.input("x", {1, 5, 6, 3}).weights("w", {4, 3, 2, 2}, 0.25F);
  rescaled.constant("s", floats({}, {0.5F})).node("Mul", {"x", "s"}, {"m"});
  rescaled.node("Transpose", {"m"}, {"t"}, {{"perm", Ints{0, 3, 1, 2}}});
  check(rescaled.node("Conv", {"t", "w"}, {"y"}).output("y"), 0.1F);
}

/// Curves before a product are approximated by chords; the error stays within what the note states.
TEST(Expansion, FunctionsBeforeAProductUseChords) {
  for (const std::string op :
       {"Sigmoid", "Tanh", "Erf", "HardSigmoid", "HardSwish", "Abs", "Neg"}) {
    GraphMaker maker(14);
    maker.input("x", {1, 4})
        .constant("w", floats({4, 4}, {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0,  //
                                       0, 0, 0, 1}));
    maker.constant("k", floats({}, {3.0F})).node("Mul", {"x", "k"}, {"m"});
    check(maker.node(op, {"m"}, {"s"}).node("MatMul", {"s", "w"}, {"y"}).output("y"), 0.03F);
  }
}

TEST(Expansion, QuantisedValuesSaturate) {
  GraphMaker maker;
  maker.input("x", {1, 4}).constant("s", floats({}, {1.0F / 128}));
  nn::Tensor zero = nn::Tensor::of({}, std::vector<std::int64_t>{0});
  zero.stored = nn::onnx_int8;
  maker.constant("z", zero);
  maker.node("QuantizeLinear", {"x", "s", "z"}, {"q"});
  check(maker.node("DequantizeLinear", {"q", "s", "z"}, {"y"}).output("y"), 0.01F);
}

TEST(HostTail, TheHostComputesTheNodesAfterTheProgram) {
  GraphMaker maker;
  maker.input("x", {1, 3}).weights("w", {3, 5}, 1.0F).node("MatMul", {"x", "w"}, {"m"});
  maker.node("Exp", {"m"}, {"e"}).constant("two", floats({}, {2.0F}));
  maker.node("Mul", {"e", "two"}, {"y"}).output("m").output("y");
  const Compiled compiled = compile(maker.graph, architecture(4));
  ASSERT_NE(compiled.host, nullptr);
  ASSERT_EQ(compiled.host->nodes.size(), 2U);
  EXPECT_EQ(compiled.host->nodes[0].inputs.front(), "device:m");
  EXPECT_EQ(compiled.host->outputs.front().name, "y");
  ASSERT_EQ(compiled.output_layouts.size(), 1U);
  EXPECT_EQ(compiled.output_layouts.front().name, "m");
  EXPECT_EQ(compiled.model_outputs, (std::vector<std::string>{"m", "y"}));
  EXPECT_EQ(compiled.notes.size(), 2U);
}

TEST(HostTail, InvalidNodesAreNotLeftToTheHost) {
  GraphMaker maker;
  maker.input("x", {1, 3}).weights("c", {2}, 1.0F).node("Exp", {"x"}, {"e"});
  maker.node("Add", {"e", "c"}, {"y"}).output("y");
  EXPECT_NE(refusal(maker.graph).find("cannot be broadcast"), std::string::npos);
}

TEST(Pools, WindowsLargerThanTheAccumulatorsArePooledByRowsFirst) {
  tcu::Architecture small = architecture(4);
  small.accumulator_depth = 64;
  const auto pooled = [&](const char* op, const Attributes& attributes) {
    GraphMaker maker(13);
    maker.input("x", {1, 5, 12, 15}).node(op, {"x"}, {"y"}, attributes).output("y");
    Options optimised;
    optimised.optimise = true;
    expect_near_reference(maker.graph, small, {}, 0.05F);
    expect_near_reference(maker.graph, small, optimised, 0.05F);
  };
  pooled("GlobalAveragePool", {});
  pooled("GlobalMaxPool", {});
  pooled("ReduceMean", {{"axes", Ints{2, 3}}});
  pooled("ReduceMax", {{"axes", Ints{2, 3}}, {"keepdims", std::int64_t{0}}});
  pooled("MaxPool", {{"kernel_shape", Ints{12, 15}}});
  pooled("AveragePool", {{"kernel_shape", Ints{12, 15}}});
}

/// A tensor is multiplied by its own transpose, which has another dimension along the lanes
/// (lane_turn.h). N = 12 is no power of two and takes the other way.
TEST(LaneTurns, SumsAlongLanesAreRightOnEveryArray) {
  for (const std::uint32_t n : {4U, 8U, 12U, 16U}) {
    for (const nn::Shape& shape : {nn::Shape{16, 32}, nn::Shape{2, 17, 21}, nn::Shape{2, 3, 16, 20},
                                   nn::Shape{1, 2, 33, 16}}) {
      SCOPED_TRACE(nn::to_string(shape) + ", array " + std::to_string(n));
      GraphMaker maker(13);
      nn::Shape turned(shape.size());
      for (std::size_t k = 0; k < shape.size(); ++k) turned[k] = static_cast<std::int64_t>(k);
      std::swap(turned[shape.size() - 1], turned[shape.size() - 2]);
      maker.input("x", shape).constant("small", floats({}, {0.125F}));
      maker.node("Mul", {"x", "small"}, {"s"}).node("Transpose", {"s"}, {"t"}, {{"perm", turned}});
      maker.node("MatMul", {"s", "t"}, {"y"}).output("y");
      expect_near_reference(maker.graph, architecture(n), {}, 0.05F);
    }
  }
}

}  // namespace
}  // namespace tactus::compiler
