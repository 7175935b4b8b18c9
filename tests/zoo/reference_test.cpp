// The reference executor, operator by operator, compared with the standard's node tests and, for
// forms that these do not cover (older operator sets, groups, dilations, pads), with values
// computed by hand.
#include "firmware/reference/reference.h"

#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>

#include "firmware/onnx/loader.h"
#include "isa/support/error.h"
#include "tests/zoo/one_node.h"

namespace tactus::nn {
namespace {

using Ints = std::vector<std::int64_t>;

void expect_near(const Tensor& actual, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(actual.shape, expected.shape) << what;
  ASSERT_EQ(actual.type, expected.type) << what;
  EXPECT_EQ(actual.integers, expected.integers) << what;
  for (std::size_t i = 0; i < expected.floats.size(); ++i) {
    const float tolerance = 1e-5F * (1 + std::fabs(expected.floats[i]));
    ASSERT_NEAR(actual.floats[i], expected.floats[i], tolerance) << what << " at " << i;
  }
}

/// ONNX 1.12's tests of the reference's operators and forms, FLOAT and INT64. Not included: cubic
/// resizing, 1-D and 3-D pooling, training outputs, and
/// resize_downsample_scales_linear_align_corners, whose values follow from a fractional output
/// size. Each file holds inputs and "expected NAME" as initializers.
TEST(Reference, AgreesWithTheNodeTestsOfTheStandard) {
  std::size_t cases = 0;
  for (const auto& entry : std::filesystem::directory_iterator(TACTUS_NODE_CASES)) {
    const std::string path = entry.path().string();
    const Graph graph = load_graph(path);
    const Values values = run_reference(graph, {});
    for (const ValueInfo& output : graph.outputs) {
      const Tensor* expected = graph.initializer("expected " + output.name);
      ASSERT_NE(expected, nullptr) << path;
      expect_near(values.at(output.name), *expected, path);
    }
    ++cases;
  }
  EXPECT_EQ(cases, 155U);
}

TEST(Reference, ConvDilationsSpreadTheTaps) {
  const OneNode conv{"Conv", 11, {{"dilations", Ints{2, 2}}}};
  // The taps are the corners of a 3x3 window, with weights 1, 2, 3, 4.
  const Tensor y = conv(ramp({1, 1, 4, 4}), real({1, 1, 2, 2}, {1, 2, 3, 4}));
  expect_near(y,
              real({1, 1, 2, 2}, {0 + 2 * 2 + 3 * 8 + 4 * 10, 1 + 2 * 3 + 3 * 9 + 4 * 11,
                                  4 + 2 * 6 + 3 * 12 + 4 * 14, 5 + 2 * 7 + 3 * 13 + 4 * 15}),
              "dilated");
}

TEST(Reference, ConvGroupsSeeTheirOwnChannels) {
  const OneNode conv{"Conv", 11, {{"group", std::int64_t{2}}}};
  const Tensor x = real({1, 4, 1, 2}, {1, 2, 3, 4, 5, 6, 7, 8});
  // Outputs 0 and 1 read channels 0 and 1; outputs 2 and 3 read channels 2 and 3.
  const Tensor w = real({4, 2, 1, 1}, {1, 0, 0, 1, 1, 1, 2, -1});
  const Tensor b = real({4}, {0, 10, 20, 30});
  expect_near(conv(x, w, b), real({1, 4, 1, 2}, {1, 2, 13, 14, 20 + 12, 20 + 14, 30 + 3, 30 + 4}),
              "groups");
}

TEST(Reference, ConvPadsAreTopLeftBottomRight) {
  const OneNode conv{"Conv", 11, {{"pads", Ints{1, 0, 0, 2}}, {"strides", Ints{2, 1}}}};
  const Tensor y = conv(real({1, 1, 2, 2}, {1, 2, 3, 4}), real({1, 1, 2, 2}, {1, 10, 100, 1000}));
  // The window covers rows -1 and 0 and columns 0 .. 3.
  expect_near(y, real({1, 1, 1, 3}, {100 + 2000, 200, 0}), "pads");
}

/// Output sizes, and the side that gets the odd row, follow closed forms of the standard.
TEST(Reference, AutoPadCoversTheInput) {
  const Tensor x = ramp({1, 1, 1, 5});
  const auto run = [&](const char* auto_pad, Ints strides) {
    const OneNode conv{"Conv", 11, {{"auto_pad", std::string(auto_pad)}, {"strides", strides}}};
    return conv(x, real({1, 1, 1, 2}, {1, 10}));
  };
  expect_near(run("SAME_UPPER", {1, 1}), real({1, 1, 1, 5}, {10, 21, 32, 43, 4}), "upper");
  expect_near(run("SAME_LOWER", {1, 1}), real({1, 1, 1, 5}, {0, 10, 21, 32, 43}), "lower");
  expect_near(run("SAME_UPPER", {1, 2}), real({1, 1, 1, 3}, {10, 32, 4}), "upper, stride 2");
  expect_near(run("VALID", {1, 2}), real({1, 1, 1, 2}, {10, 32}), "valid");
}

TEST(Reference, PoolingCeilModeAddsAPartialWindow) {
  const Tensor x = ramp({1, 1, 1, 5});
  Attributes attributes{{"kernel_shape", Ints{1, 2}}, {"strides", Ints{1, 2}}};
  expect_near(OneNode{"MaxPool", 11, attributes}(x), real({1, 1, 1, 2}, {1, 3}), "floor");
  attributes["ceil_mode"] = std::int64_t{1};
  expect_near(OneNode{"MaxPool", 11, attributes}(x), real({1, 1, 1, 3}, {1, 3, 4}), "ceil");
  expect_near(OneNode{"AveragePool", 11, attributes}(x), real({1, 1, 1, 3}, {0.5, 2.5, 4}),
              "average");
  attributes["count_include_pad"] = std::int64_t{1};
  attributes["pads"] = Ints{0, 1, 0, 0};
  expect_near(OneNode{"AveragePool", 11, attributes}(x), real({1, 1, 1, 3}, {0, 1.5, 3.5}),
              "padding counts");
}

TEST(Reference, PoolingWindowsOutsideTheInputAreRefused) {
  const OneNode pool{"MaxPool", 11, {{"kernel_shape", Ints{1, 1}}, {"pads", Ints{0, 1, 0, 0}}}};
  EXPECT_THROW(static_cast<void>(pool(ramp({1, 1, 1, 2}))), UserError);
}

TEST(Reference, ResizeOfSet10SamplesFromTheCorner) {
  const Tensor twice = real({4}, {1, 1, 1, 2});
  const Tensor x = real({1, 1, 1, 3}, {0, 10, 30});
  const auto mode = [](const char* text) { return Attributes{{"mode", std::string(text)}}; };
  expect_near(OneNode{"Resize", 10, mode("nearest")}(x, twice),
              real({1, 1, 1, 6}, {0, 0, 10, 10, 30, 30}), "nearest");
  expect_near(OneNode{"Resize", 10, mode("linear")}(x, twice),
              real({1, 1, 1, 6}, {0, 5, 10, 20, 30, 30}), "linear");
  // The example of the standard: 2 x 4 resized by 0.6 takes the first and the third column.
  expect_near(OneNode{"Resize", 10, mode("nearest")}(real({1, 1, 2, 4}, {1, 2, 3, 4, 5, 6, 7, 8}),
                                                     real({4}, {1, 1, 0.6F, 0.6F})),
              real({1, 1, 1, 2}, {1, 3}), "nearest, smaller");
}

/// Resizes 0, 10, 30 to six values with every coordinate mode.
TEST(Reference, ResizeCoordinateModes) {
  const auto run = [](const char* coordinates) {
    const OneNode resize{"Resize",
                         11,
                         {{"mode", std::string("linear")},
                          {"coordinate_transformation_mode", std::string(coordinates)}}};
    const Tensor x = real({1, 1, 1, 3}, {0, 10, 30});
    const Tensor roi = real({0}, {}), scales = real({4}, {1, 1, 1, 2});
    return resize({&x, &roi, &scales})[0];
  };
  expect_near(run("half_pixel"), real({1, 1, 1, 6}, {0, 2.5, 7.5, 15, 25, 30}), "half_pixel");
  expect_near(run("pytorch_half_pixel"), real({1, 1, 1, 6}, {0, 2.5, 7.5, 15, 25, 30}), "pytorch");
  expect_near(run("asymmetric"), real({1, 1, 1, 6}, {0, 5, 10, 20, 30, 30}), "asymmetric");
  expect_near(run("align_corners"), real({1, 1, 1, 6}, {0, 4, 8, 14, 22, 30}), "align_corners");
  expect_near(run("tf_half_pixel_for_nn"), real({1, 1, 1, 6}, {2.5, 7.5, 15, 25, 30, 30}), "tf");
  EXPECT_THROW(static_cast<void>(run("half")), UserError);
}

TEST(Reference, PadModes) {
  const Tensor x = real({1, 3}, {1, 2, 3});
  const auto run = [&](const char* mode) {
    return OneNode{
        "Pad", 10, {{"pads", Ints{0, 2, 0, 2}}, {"mode", std::string(mode)}, {"value", 7.0F}}}(x);
  };
  expect_near(run("constant"), real({1, 7}, {7, 7, 1, 2, 3, 7, 7}), "constant");
  expect_near(run("edge"), real({1, 7}, {1, 1, 1, 2, 3, 3, 3}), "edge");
  expect_near(run("reflect"), real({1, 7}, {3, 2, 1, 2, 3, 2, 1}), "reflect");
  expect_near(OneNode{"Pad", 11}(x, list({0, -1, 1, 0}), real({}, {9})), real({2, 2}, {2, 3, 9, 9}),
              "cropped, value as input");
  EXPECT_THROW(static_cast<void>(OneNode{
                   "Pad", 10, {{"pads", Ints{0, 3, 0, 0}}, {"mode", std::string("reflect")}}}(x)),
               UserError);
}

TEST(Reference, OlderForms) {
  const Tensor x = ramp({2, 3});
  expect_near(OneNode{"Slice", 9, {{"starts", Ints{1}}, {"ends", Ints{-1}}, {"axes", Ints{1}}}}(x),
              real({2, 1}, {1, 4}), "Slice 1");
  expect_near(OneNode{"Clip", 6 + 1, {{"min", 1.5F}, {"max", 3.0F}}}(x),
              real({2, 3}, {1.5, 1.5, 2, 3, 3, 3}), "Clip 6");
  expect_near(OneNode{"Unsqueeze", 11, {{"axes", Ints{0, 2}}}}(x), ramp({1, 2, 1, 3}),
              "Unsqueeze 1");
  expect_near(OneNode{"Squeeze", 11, {{"axes", Ints{0}}}}(ramp({1, 2, 1})), ramp({2, 1}),
              "Squeeze 1");
  expect_near(OneNode{"Squeeze", 11}(ramp({1, 2, 1})), ramp({2}), "Squeeze of all ones");
  const auto parts =
      OneNode{"Split", 11, {{"axis", std::int64_t{-1}}, {"split", Ints{1, 2}}}, 2}({&x});
  expect_near(parts[0], real({2, 1}, {0, 3}), "Split 2");
  expect_near(parts[1], real({2, 2}, {1, 2, 4, 5}), "Split 2");
  // Up to operator set 12, Softmax is computed over all dimensions from the axis on.
  const Tensor flat = OneNode{"Softmax", 12}(ramp({1, 2, 2}, 0));
  expect_near(flat, real({1, 2, 2}, {0.25, 0.25, 0.25, 0.25}), "Softmax 1");
  const Tensor along = OneNode{"Softmax", 13}(ramp({1, 2, 2}, 0));
  expect_near(along, real({1, 2, 2}, {0.5, 0.5, 0.5, 0.5}), "Softmax 13");
}

TEST(Reference, ShapeArithmetic) {
  const Tensor shape = OneNode{"Shape"}(ramp({2, 3, 5}));
  EXPECT_EQ(shape, list({2, 3, 5}));
  EXPECT_EQ(OneNode{"Gather"}(shape, Tensor::of({}, Ints{-1})), Tensor::of({}, Ints{5}));
  EXPECT_EQ(OneNode{"Div"}(list({-7, 7}), list({2, -1})), list({-3, -7}));
  EXPECT_EQ(OneNode{"Mul"}(list({2, 3}), list({5})), list({10, 15}));
  EXPECT_EQ((OneNode{"Cast", 13, {{"to", std::int64_t{1}}}}(list({3}))), real({1}, {3}));
  EXPECT_EQ((OneNode{"Cast", 13, {{"to", std::int64_t{7}}}}(real({2}, {2.9F, -2.9F}))),
            list({2, -2}));
  EXPECT_THROW(static_cast<void>(OneNode{"Div"}(list({1}), list({0}))), UserError);
  EXPECT_THROW(
      static_cast<void>((OneNode{"Cast", 13, {{"to", std::int64_t{7}}}}(real({1}, {1e30F})))),
      UserError);
}

TEST(Reference, ErrorsNameTheNode) {
  const Tensor x = ramp({2, 3});
  const auto message = [](auto&& action) -> std::string {
    try {
      static_cast<void>(action());
    } catch (const UserError& error) {
      return error.what();
    }
    return "(accepted)";
  };
  EXPECT_EQ(message([&] { return OneNode{"Unique"}(x); }),
            "one: node \"n\" (Unique): the reference executor does not have this operator");
  EXPECT_EQ(message([&] {
              return OneNode{"Resize", 9}(x, x);
            }),
            "one: node \"n\" (Resize): operator set 9 does not have this operator");
  EXPECT_EQ(message([&] {
              return OneNode{"Relu", 13, {{"slope", 1.0F}}}(x);
            }),
            "one: node \"n\" (Relu): attribute \"slope\" does not belong to this operator here; "
            "allowed are: none");
  EXPECT_EQ(message([&] { return OneNode{"Relu"}(x, x); }),
            "one: node \"n\" (Relu): has 2 inputs; allowed are 1 to 1");
  EXPECT_EQ(message([&] {
              return OneNode{"Relu", 29}(x);
            }),
            "one: operator set 29 is not supported; allowed are 7 to 28");
  EXPECT_EQ(message([&] { return OneNode{"MatMul"}(x, x); }),
            "one: node \"n\" (MatMul): shapes [2,3] and [2,3] do not fit");
  EXPECT_EQ(message([&] {
              return OneNode{"Reshape"}(x, list({4, -1}));
            }),
            "one: node \"n\" (Reshape): shape [4,-1] does not fit [2,3]");
}

/// Tensors without elements are allowed for all operators.
TEST(Reference, EmptyTensors) {
  const Tensor none = ramp({0, 3}), image = ramp({1, 0, 4, 4}), batch = ramp({0, 2, 4, 4});
  EXPECT_EQ(OneNode{"Relu"}(none).shape, (Shape{0, 3}));
  EXPECT_EQ(OneNode{"MatMul"}(none, ramp({3, 2})).shape, (Shape{0, 2}));
  expect_near(OneNode{"MatMul"}(ramp({2, 0}), ramp({0, 2})), ramp({2, 2}, 0), "no terms");
  EXPECT_EQ(OneNode{"Softmax"}(none).shape, (Shape{0, 3}));
  EXPECT_EQ((OneNode{"Concat", 13, {{"axis", std::int64_t{0}}}}(none, ramp({2, 3}))), ramp({2, 3}));
  EXPECT_EQ((OneNode{"MaxPool", 11, {{"kernel_shape", Ints{2, 2}}}}(image).shape),
            (Shape{1, 0, 3, 3}));
  EXPECT_EQ(OneNode{"GlobalAveragePool"}(batch).shape, (Shape{0, 2, 1, 1}));
  EXPECT_EQ(OneNode{"Conv"}(batch, ramp({3, 2, 1, 1})).shape, (Shape{0, 3, 4, 4}));
  expect_near(OneNode{"Conv"}(image, ramp({1, 0, 1, 1}), real({1}, {5})),
              real({1, 1, 4, 4}, std::vector<float>(16, 5)), "only the bias");
  EXPECT_THROW(static_cast<void>(OneNode{"GlobalAveragePool"}(ramp({1, 1, 0, 1}))), UserError);
  EXPECT_EQ(OneNode{"Transpose"}(none).shape, (Shape{3, 0}));
}

}  // namespace
}  // namespace tactus::nn
