// Constants that the data type cannot hold are folded where that keeps them, and else told.
#include "firmware/compiler/frontend/lossy_constants.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <random>

#include "firmware/compiler/model_tensors.h"
#include "firmware/compiler/targets/tcu/stripe/from_onnx.h"
#include "isa/tcu/arithmetic.h"
#include "tests/compiler/frontend/graphs.h"

namespace tactus::compiler {
namespace {

struct Way {
  std::string name;
  std::function<Compiled(const nn::Graph&, const tcu::Architecture&)> compile;
};

Compiled with_strategy(const nn::Graph& graph, const tcu::Architecture& arch, Strategy strategy) {
  Options options;
  options.strategy = strategy;
  return compile(graph, arch, options);
}

const std::vector<Way>& ways() {
  static const std::vector<Way> all{
      {"local-isolated",
       [](const auto& graph, const auto& arch) {
         return with_strategy(graph, arch, Strategy::local_isolated);
       }},
      {"local-vars-and-consts",
       [](const auto& graph, const auto& arch) {
         return with_strategy(graph, arch, Strategy::local_vars_and_consts);
       }},
      {"optimise",
       [](const auto& graph, const auto& arch) {
         Options options;
         options.optimise = true;
         options.quickest = false;
         options.effort = 5;
         return compile(graph, arch, options);
       }},
      {"batch",
       [](const auto& graph, const auto& arch) {
         Options options;
         options.optimise = true;
         options.batch = 2;
         options.effort = 5;
         return compile(graph, arch, options);
       }},
      {"stripe", [](const auto& graph,
                    const auto& arch) { return compile_via_stripe(graph, arch, {}).model; }},
  };
  return all;
}

constexpr tcu::DataType types[] = {tcu::DataType::fp16bp8, tcu::DataType::fp18bp10,
                                   tcu::DataType::fp32bp16};

tcu::Architecture machine(tcu::DataType type) {
  tcu::Architecture result = architecture(4);
  result.data_type = type;
  return result;
}

/// Values over many orders of magnitude, with zeros.
nn::Tensor drawn(const nn::Shape& shape, std::mt19937& random) {
  nn::Tensor tensor = nn::Tensor::zeros(shape);
  std::uniform_real_distribution<float> exponent(-14, 9);
  std::bernoulli_distribution negative(0.5), zero(0.1);
  for (float& value : tensor.floats) {
    value = zero(random) ? 0.0F : std::exp2(exponent(random)) * (negative(random) ? -1.0F : 1.0F);
  }
  return tensor;
}

/// Counts values by what the machine's rounding makes of them.
ConstantLoss counted_losses(tcu::DataType type, const std::vector<float>& values) {
  ConstantLoss loss;
  for (const float value : values) {
    if (value == 0) continue;
    ++loss.values;
    const std::int64_t mantissa = tcu::quantise(type, value);
    const double share = std::fabs(tcu::to_real(type, mantissa) / static_cast<double>(value) - 1);
    if (share <= 0.01) continue;
    if (mantissa != 0) loss.largest = std::max(loss.largest, share);
    const bool end = mantissa == tcu::info(type).max() || mantissa == tcu::info(type).min();
    ++(mantissa == 0 ? loss.vanished : end ? loss.saturated : loss.reduced);
  }
  return loss;
}

void expect_counts(const ConstantLosses& losses, const std::string& tensor,
                   const ConstantLoss& expected) {
  SCOPED_TRACE(tensor);
  ASSERT_EQ(losses.count(tensor), 1U);
  const ConstantLoss& got = losses.at(tensor);
  EXPECT_EQ(got.values, expected.values);
  EXPECT_EQ(got.saturated, expected.saturated);
  EXPECT_EQ(got.vanished, expected.vanished);
  EXPECT_EQ(got.reduced, expected.reduced);
  EXPECT_NEAR(got.largest, expected.largest, 1e-6);
}

/// A convolution whose result is an output, so that what follows cannot be folded into it.
GraphMaker convolution(const nn::Tensor& weights) {
  GraphMaker maker;
  maker.input("x", {1, weights.shape[1], 3, 3}).constant("w", weights);
  maker.node("Conv", {"x", "w"}, {"c"}).output("c");
  return maker;
}

TEST(LossyConstants, CountsAreThoseOfTheDataType) {
  std::mt19937 random(1);
  for (const tcu::DataType type : types) {
    for (int round = 0; round < 10; ++round) {
      const nn::Tensor w = drawn({5, 3, 2, 2}, random), bias = drawn({5}, random);
      nn::Tensor scale = drawn({5, 1, 1}, random), divisor = scale;
      for (float& value : divisor.floats)
        value = value == 0 ? 3.0F : std::clamp(value, -4.0F, 4.0F);
      GraphMaker maker;
      maker.input("x", {1, 3, 3, 3}).constant("w", w).constant("b", bias);
      maker.constant("s", scale).constant("d", divisor);
      maker.node("Conv", {"x", "w", "b"}, {"c"}).output("c");
      maker.node("Mul", {"c", "s"}, {"m"}).output("m");
      maker.node("Div", {"m", "d"}, {"q"}).output("q");
      std::vector<float> reciprocals = divisor.floats;
      for (float& value : reciprocals) value = 1 / value;
      for (const Way& way : ways()) {
        SCOPED_TRACE(way.name);
        const Compiled compiled = way.compile(maker.graph, machine(type));
        expect_counts(compiled.constant_losses, "w", counted_losses(type, w.floats));
        ConstantLoss all = total(compiled.constant_losses), expected;
        for (const auto& values : {w.floats, bias.floats, scale.floats, reciprocals}) {
          expected.add(counted_losses(type, values));
        }
        EXPECT_EQ(all.saturated, expected.saturated);
        EXPECT_EQ(all.vanished, expected.vanished);
        EXPECT_EQ(all.reduced, expected.reduced);
        const bool by_strategy = way.name.rfind("local", 0) == 0;
        if (!by_strategy) continue;
        expect_counts(compiled.constant_losses, "b", counted_losses(type, bias.floats));
        expect_counts(compiled.constant_losses, "s", counted_losses(type, scale.floats));
        expect_counts(compiled.constant_losses, "node n_q", counted_losses(type, reciprocals));
      }
    }
  }
}

bool has_note(const Compiled& compiled, const std::string& begin, const std::string& part) {
  return std::any_of(compiled.notes.begin(), compiled.notes.end(), [&](const std::string& note) {
    return note.rfind(begin, 0) == 0 && note.find(part) != std::string::npos;
  });
}

TEST(LossyConstants, WhatALayerLosesIsTold) {
  GraphMaker tiny = convolution(floats({4, 4, 1, 1}, std::vector<float>(16, 0.0006F)));
  GraphMaker large;
  large.input("x", {1, 4, 3, 3}).weights("w", {4, 4, 1, 1}, 1);
  large.constant("b", floats({4}, {500, 0, 1, 2})).node("Conv", {"x", "w", "b"}, {"c"}).output("c");
  GraphMaker divided;
  divided.input("x", {1, 4, 3, 3}).constant("d", floats({}, {0.004F}));
  divided.node("Div", {"x", "d"}, {"q"}).output("q");
  GraphMaker rounded = convolution(floats({4, 4, 1, 1}, std::vector<float>(16, 0.0065F)));
  GraphMaker harmless = convolution(floats({1, 4, 1, 1}, {1, 1, 1, 0.0006F}));
  for (const Way& way : ways()) {
    SCOPED_TRACE(way.name);
    const auto compiled = [&](const GraphMaker& maker) {
      return way.compile(maker.graph, machine(tcu::DataType::fp16bp8));
    };
    EXPECT_TRUE(has_note(compiled(tiny), "constants that become 0", "16 of 16 values of \"w\""));
    EXPECT_TRUE(has_note(compiled(large), "constants that saturate", "loses up to 74.4 %"));
    EXPECT_TRUE(has_note(compiled(divided), "constants that saturate", "loses up to 48.8 %"));
    EXPECT_TRUE(has_note(compiled(rounded), "constants that lose more than 1 %", "\"w\""));
    const Compiled fine = compiled(harmless);
    EXPECT_EQ(total(fine.constant_losses).vanished, 1U);
    EXPECT_FALSE(has_note(fine, "constants", ""));
  }
}

std::vector<GraphMaker> foldable() {
  std::vector<GraphMaker> all(4);
  const nn::Shape image{1, 4, 5, 5};
  all[0].input("x", image).constant("k", floats({}, {1000})).node("Mul", {"x", "k"}, {"m"});
  all[0].weights("w", {4, 4, 3, 3}, 0.0005F);
  all[0].node("Conv", {"m", "w"}, {"y"}, {{"pads", Ints(4, 1)}});
  all[1].input("x", image).weights("w", {4, 4, 3, 3}, 0.0006F).constant("k", floats({}, {100}));
  all[1].node("Conv", {"x", "w"}, {"c"}).node("Mul", {"c", "k"}, {"y"});
  all[2].input("x", image).weights("w", {4, 4, 1, 1}, 0.001F);
  all[2].constant("s", floats({4}, {1, 1, 1, 1})).constant("b", floats({4}, {1, -1, 0, 2}));
  all[2].constant("m", floats({4}, {0.0001F, 0, 0, 0}));
  all[2].constant("v", floats({4}, {1e-6F, 1e-6F, 2e-6F, 1e-6F})).node("Conv", {"x", "w"}, {"c"});
  all[2].node("BatchNormalization", {"c", "s", "b", "m", "v"}, {"y"}, {{"epsilon", 0.0F}});
  all[3].input("x", {3, 4}).weights("w", {4, 4}, 0.002F).constant("d", floats({}, {0.004F}));
  all[3].node("MatMul", {"x", "w"}, {"p"}).node("Div", {"p", "d"}, {"y"});
  for (GraphMaker& maker : all) maker.output("y");
  return all;
}

TEST(LossyConstants, WhatFitsAfterFoldingIsRight) {
  for (GraphMaker& maker : foldable()) {
    for (const Way& way : ways()) {
      if (way.name == "batch") continue;  // the values of one image
      SCOPED_TRACE(way.name + " " + maker.graph.nodes.back().op_type);
      const Compiled compiled = way.compile(maker.graph, machine(tcu::DataType::fp16bp8));
      ASSERT_NE(compiled.scaled, nullptr);
      EXPECT_EQ(compiled.scaled->nodes.size(), 1U);
      const auto inputs = values_for(compiled);
      expect_near_values(maker.graph, compiled, inputs, run(compiled, inputs), 0.06F);
      EXPECT_FALSE(has_note(compiled, "constants that saturate", ""));
    }
    Options compat;
    compat.compat = true;
    EXPECT_EQ(compile(maker.graph, machine(tcu::DataType::fp32bp16)).scaled, nullptr);
    if (maker.graph.nodes.back().op_type == "Div") continue;  // compat lacks it
    EXPECT_EQ(compile(maker.graph, machine(tcu::DataType::fp16bp8), compat).scaled, nullptr);
  }
}

TEST(LossyConstants, OnesThatAreNoNumbersAreRefused) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const float infinity = std::numeric_limits<float>::infinity();
  for (const float bad : {nan, infinity, -infinity}) {
    nn::Tensor weights = floats({2, 2, 1, 1}, {1, 2, 3, 4});
    weights.floats[2] = bad;
    const std::string text = refusal(convolution(weights).graph);
    EXPECT_NE(text.find("node \"n_c\" (Conv): element 2 of constant \"w\" is"), std::string::npos)
        << text;
    GraphMaker unread = convolution(floats({2, 2, 1, 1}, {1, 2, 3, 4}));
    unread.constant("n", weights).node("Mul", {"c", "n"}, {"z"});
    EXPECT_EQ(refusal(unread.graph), "");
    GraphMaker limits;
    limits.input("x", {1, 4}).constant("low", floats({}, {bad})).node("Clip", {"x", "low"}, {"y"});
    limits.output("y");
    EXPECT_EQ(refusal(limits.graph).empty(), !std::isnan(bad));
  }
}

TEST(LossyConstants, TheFileHasTheCounts) {
  const Compiled compiled =
      compile(convolution(floats({1, 4, 1, 1}, {300, 1, 0.0065F, 0.0006F})).graph, architecture(4));
  const std::string text = to_json(tensors_of(compiled), {});
  EXPECT_NE(text.find("\"tensor\": \"w\""), std::string::npos) << text;
  for (const char* count : {"\"values\": 4", "\"saturated\": 1", "\"became_0\": 1",
                            "\"lost_1_percent\": 1", "\"largest_loss\": 1.0"}) {
    EXPECT_NE(text.find(count), std::string::npos) << count << " in " << text;
  }
}

}  // namespace
}  // namespace tactus::compiler
