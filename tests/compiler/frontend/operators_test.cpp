// Every operator against plain arithmetic: compiled, simulated, compared.
//
// Each graph runs on arrays of 2, 4 and 8 lanes, so that channels are split, fit, and are padded.
#include <ostream>

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

TEST(Arithmetic, TwoActivations) {
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
      // Who asks for the flat tensor itself gets it.
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

TEST(Relabel, IdentityAndDropoutAreNothing) {
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
  // x.reshape(x.shape[0], -1) as PyTorch writes it.
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

TEST(Folding, WhatOnlyGivesItsShapeIsNotComputed) {
  GraphMaker maker;
  maker.input("x", {1, 3, 2, 2}).input("like", {1, 3, 2, 2});
  maker.node("Relu", {"like"}, {"r"}).node("Shape", {"r"}, {"shape"});
  maker.node("Reshape", {"x", "shape"}, {"s"}).node("Relu", {"s"}, {"y"}).output("y");
  const Compiled compiled = compile(maker.graph, architecture(4));
  EXPECT_EQ(compiled.layers.size(), 1U);
  EXPECT_EQ(compiled.inputs.size(), 1U);
}

TEST(Folding, SizesOfAnUpsampling) {
  // tf2onnx: sizes = concat(shape[:2], int(float(shape[2:]) * 2)).
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

}  // namespace
}  // namespace tactus::compiler
