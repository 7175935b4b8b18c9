// The verdict of the check: right programs are accepted, lost ones refused, and most broken ones.
//
// Broken and lost programs are made by compiling another graph, or by changing the program, in the
// place of the one that the user's graph would give.
#include <cmath>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include <gtest/gtest.h>

#include "firmware/bench/accuracy.h"
#include "firmware/bench/evaluation.h"
#include "firmware/compiler/compiler.h"
#include "firmware/config/board.h"
#include "firmware/zoo/random_input.h"
#include "firmware/zoo/zoo.h"
#include "isa/tcu/instruction.h"
#include "tests/compiler/frontend/graphs.h"

namespace tactus {
namespace {

using bench::Accuracy;
using compiler::Compiled;
using compiler::GraphMaker;

TcuSimulationConfig stock(tcu::DataType type = tcu::DataType::fp16bp8) {
  TcuSimulationConfig config = read_board("ultra96_v2").simulation_config();
  config.architecture.data_type = type;
  return config;
}

/// Checks a program made from `compiled_graph`, and changed by `change`, as if it were `graph`'s.
Accuracy check(const nn::Graph& graph, const nn::Values& inputs, const nn::Graph& compiled_graph,
               const TcuSimulationConfig& config,
               const std::function<void(Compiled&)>& change = {}) {
  const bench::Recompile make = [&](const compiler::Options& options) {
    Compiled compiled = compiler::compile(compiled_graph, config.architecture, options);
    if (change) change(compiled);
    return compiled;
  };
  return bench::check_accuracy(graph, make({}), {}, config, inputs, {}, {}, make);
}

nn::Values random_inputs(const nn::Graph& graph) {
  nn::Values inputs;
  for (const nn::ValueInfo& info : graph.inputs) inputs[info.name] = nn::random_input(info, 7);
  return inputs;
}

/// All elements of the input are `value`, or alternate between it and half of it.
nn::Values filled(const nn::Graph& graph, float value, bool alternates = false) {
  nn::Values inputs = random_inputs(graph);
  for (auto& [name, tensor] : inputs) {
    for (std::size_t i = 0; i < tensor.floats.size(); ++i) {
      tensor.floats[i] = alternates && i % 2 == 0 ? value / 2 : value;
    }
  }
  return inputs;
}

/// A depthwise convolution that sums k x k values times a weight, in place of an average.
nn::Graph with_sum(std::int64_t channels, std::int64_t size, std::int64_t k, float weight,
                   float factor) {
  GraphMaker maker;
  maker.input("x", {1, channels, size, size});
  const auto count = static_cast<std::size_t>(channels * k * k);
  maker.constant("w", nn::Tensor::of({channels, 1, k, k}, std::vector<float>(count, weight)));
  maker.constant("f", nn::Tensor::of({}, std::vector<float>{factor}));
  maker.node("Conv", {"x", "w"}, {"s"}, {{"group", channels}});
  maker.node("Mul", {"s", "f"}, {"y"});
  maker.output("y");
  return maker.graph;
}

nn::Graph with_average(std::int64_t channels, std::int64_t size, std::int64_t k) {
  GraphMaker maker;
  maker.input("x", {1, channels, size, size});
  maker.node("AveragePool", {"x"}, {"y"}, {{"kernel_shape", std::vector<std::int64_t>{k, k}}});
  maker.output("y");
  return maker.graph;
}

TEST(CheckVerdict, AnAverageWhoseFactorIsZeroIsLost) {
  const nn::Graph graph = with_average(8, 32, 32);
  const Accuracy accuracy =
      check(graph, filled(graph, 1), with_sum(8, 32, 32, 1.0F / 1024, 1), stock());
  EXPECT_FALSE(accuracy.is_right());
  EXPECT_TRUE(accuracy.tensors.back().beyond_law());
  EXPECT_LT(accuracy.tensors.back().reachable, 0.01);
}

TEST(CheckVerdict, AnAverageWhoseSumSaturatesIsLost) {
  const nn::Graph graph = with_average(8, 8, 3);
  const Accuracy accuracy =
      check(graph, filled(graph, 50, true), with_sum(8, 8, 3, 1, 1.0F / 9), stock());
  EXPECT_FALSE(accuracy.is_right());
  const bench::TensorError& output = accuracy.tensors.back();
  ASSERT_TRUE(output.layer);
  EXPECT_GT(output.layer->rms, 100 * output.layer->law);
}

/// A product by weights that the type rounds to 0, times 100. The Relu keeps them apart.
TEST(CheckVerdict, ConstantsThatBecomeZeroAreLost) {
  GraphMaker maker;
  maker.input("x", {1, 16});
  maker.constant("w", nn::Tensor::of({16, 8}, std::vector<float>(128, 0.0006F)));
  maker.constant("f", nn::Tensor::of({}, std::vector<float>{100}));
  maker.node("MatMul", {"x", "w"}, {"s"});
  maker.node("Relu", {"s"}, {"r"});
  maker.node("Mul", {"r", "f"}, {"y"});
  maker.output("y");
  const Accuracy accuracy = check(maker.graph, filled(maker.graph, 1), maker.graph, stock());
  EXPECT_FALSE(accuracy.is_right());
  const bench::TensorError& output = accuracy.tensors.back();
  EXPECT_GT(output.reachable, 4 * output.reachable_exact);
}

/// Steps of the data type excuse no output that is small as a whole.
TEST(CheckVerdict, SmallOutputsHaveTheSameLimit) {
  GraphMaker maker;
  maker.input("x", {1, 16});
  maker.constant("f", nn::Tensor::of({}, std::vector<float>{1.0F / 128}));
  maker.node("Mul", {"x", "f"}, {"y"});
  maker.output("y");
  const Accuracy accuracy = check(maker.graph, random_inputs(maker.graph), maker.graph, stock());
  EXPECT_FALSE(accuracy.is_right());
}

TEST(CheckVerdict, AClassThatIsFirstByAMarginMustStayFirst) {
  bench::TensorError error;
  error.output = true;
  error.lowest = -10;
  error.highest = 10;
  error.step = 1.0 / 256;
  error.reachable = 0.01;
  error.rms_error = 0.02;
  EXPECT_TRUE(error.is_right());
  error.lost_classes = 1;
  EXPECT_FALSE(error.is_right());
  EXPECT_TRUE(error.is_right(0.02));
}

TEST(CheckVerdict, HostPartsReadInputs) {
  GraphMaker maker;
  maker.input("x", {1, 8, 4, 4});
  maker.weights("w", {8, 8, 1, 1}, 0.5F);
  maker.node("Conv", {"x", "w"}, {"c"});
  maker.node("Sigmoid", {"c"}, {"s"});
  maker.node("Mul", {"x", "s"}, {"y"});
  maker.output("y");
  const Accuracy accuracy = check(maker.graph, random_inputs(maker.graph), maker.graph, stock());
  EXPECT_TRUE(accuracy.is_right());
  for (const bench::TensorError& error : accuracy.tensors) {
    EXPECT_TRUE(maker.graph.producer(error.name) != nullptr) << error.name;
  }
}

/// Quantised pairs are clips on the machine and round in the reference.
TEST(CheckVerdict, QuantisedPairsAreRight) {
  GraphMaker maker;
  maker.input("x", {1, 8, 6, 6});
  maker.weights("w", {8, 8, 3, 3}, 0.25F);
  maker.constant("scale", nn::Tensor::of({}, std::vector<float>{1.0F / 16}));
  nn::Tensor zero = nn::Tensor::of({}, std::vector<std::int64_t>{0});
  zero.stored = nn::onnx_int8;
  maker.constant("zero", zero);
  maker.node("QuantizeLinear", {"x", "scale", "zero"}, {"q"});
  maker.node("DequantizeLinear", {"q", "scale", "zero"}, {"d"});
  maker.node("Conv", {"d", "w"}, {"c"});
  maker.node("QuantizeLinear", {"c", "scale", "zero"}, {"r"});
  maker.node("DequantizeLinear", {"r", "scale", "zero"}, {"y"});
  maker.output("y");
  for (const tcu::DataType type : {tcu::DataType::fp16bp8, tcu::DataType::fp32bp16}) {
    const Accuracy accuracy =
        check(maker.graph, random_inputs(maker.graph), maker.graph, stock(type));
    EXPECT_TRUE(accuracy.is_right()) << info(type).name;
    EXPECT_GT(accuracy.tensors.back().stated, 1.0 / 64) << info(type).name;
  }
}

/// Counts over networks and faults, as the verdict's limits were chosen.
TEST(CheckVerdict, RightProgramsPassAndBrokenOnesDoNot) {
  unsigned right = 0, right_refused = 0, broken = 0, broken_refused = 0;
  for (const tcu::DataType type : {tcu::DataType::fp16bp8, tcu::DataType::fp32bp16}) {
    const TcuSimulationConfig config = stock(type);
    for (const char* network : {"mlp", "cnn", "csp"}) {
      const nn::Graph graph = nn::zoo_entry(network).build(1).graph;
      const nn::Values inputs = random_inputs(graph);
      const Accuracy sound = check(graph, inputs, graph, config);
      ++right;
      right_refused += sound.is_right() ? 0 : 1;
      const auto count = [&](const Accuracy& accuracy) {
        // A fault that changes nothing is none.
        if (accuracy.tensors.back().rms_error == sound.tensors.back().rms_error) return;
        ++broken;
        broken_refused += accuracy.is_right() ? 0 : 1;
      };
      for (const auto& [name, weights] : graph.initializers) {
        if (weights.floats.size() < 8) continue;  // such as the scales of a Resize
        nn::Graph wrong = graph;
        std::vector<float>& values = wrong.initializers.at(name).floats;
        values[values.size() / 2] += 1;  // a wrong weight
        count(check(graph, inputs, wrong, config));
        wrong = graph;
        for (float& value : wrong.initializers.at(name).floats) value = 0;
        count(check(graph, inputs, wrong, config));
      }
      const std::size_t vector = config.architecture.vector_bytes();
      for (const std::size_t part : {1U, 2U}) {
        const auto zeroed = [&](Compiled& compiled) {  // a vector of constants
          const std::size_t first = compiled.constants.size() / vector * part / 3 * vector;
          for (std::size_t i = 0; i < vector; ++i) compiled.constants[first + i] = 0;
        };
        count(check(graph, inputs, graph, config, zeroed));
        const auto dropped = [&](Compiled& compiled) {  // an instruction
          const std::size_t size = tcu::InstructionLayout(config.architecture).instruction_bytes();
          const std::size_t first = compiled.program.size() / size * part / 3 * size;
          for (std::size_t i = 0; i < size; ++i) compiled.program[first + i] = 0;
        };
        count(check(graph, inputs, graph, config, dropped));
      }
    }
  }
  EXPECT_EQ(right_refused, 0U) << "of " << right;
  EXPECT_GE(broken, 40U);
  EXPECT_GE(100 * broken_refused, 80 * broken) << broken_refused << " of " << broken;
  std::printf("right: %u, refused %u; broken: %u, refused %u\n", right, right_refused, broken,
              broken_refused);
}

// ---- networks that poor lowerings lose
// -------------------------------------------------------------

/// A network and an input in which constants, sums or factors leave the data type.
struct LossyNetwork {
  std::string name;
  nn::Graph graph;
  float low = 0, high = 0;  ///< range of the input's values
  tcu::DataType type = tcu::DataType::fp16bp8;
};

/// A Conv 3x3 of 8 channels with weights from -range to range, with a Mul by `before` or behind it.
nn::Graph scaled_convolution(float range, float before, float behind) {
  GraphMaker maker;
  maker.input("x", {1, 8, 6, 6}).weights("w", {8, 8, 3, 3}, range);
  maker.constant("before", nn::Tensor::of({}, std::vector<float>{before}));
  maker.constant("behind", nn::Tensor::of({}, std::vector<float>{behind}));
  if (before != 1) maker.node("Mul", {"x", "before"}, {"m"});
  maker.node("Conv", {before != 1 ? "m" : "x", "w"}, {"c"}, {{"pads", compiler::Ints(4, 1)}});
  if (behind != 1) maker.node("Mul", {"c", "behind"}, {"y"});
  maker.output(behind != 1 ? "y" : "c");
  return maker.graph;
}

std::vector<LossyNetwork> lossy_networks() {
  std::vector<LossyNetwork> all;
  GraphMaker pool;
  pool.input("x", {1, 8, 32, 32}).node("GlobalAveragePool", {"x"}, {"y"}).output("y");
  all.push_back({"a factor of 1/1024", pool.graph, 0, 2});
  GraphMaker average;
  average.input("x", {1, 8, 9, 9});
  average.node("AveragePool", {"x"}, {"y"},
               {{"kernel_shape", compiler::Ints{3, 3}}, {"strides", compiler::Ints{3, 3}}});
  all.push_back({"sums of 450", average.output("y").graph, 49, 51});
  all.push_back({"a product by 1000", scaled_convolution(0.006F, 1000, 1), -1, 1});
  all.push_back({"weights below a step", scaled_convolution(0.0011F, 1, 100), -1, 1});
  GraphMaker folded;
  folded.input("x", {1, 8, 6, 6}).weights("w", {8, 8, 3, 3}, 0.006F);
  for (const auto& [name, value] :
       {std::pair{"s", 1.0F}, std::pair{"b", 0.0F}, std::pair{"v", 1e-6F}}) {
    folded.constant(name, nn::Tensor::of({8}, std::vector<float>(8, value)));
  }
  folded.node("Conv", {"x", "w"}, {"c"}, {{"pads", compiler::Ints(4, 1)}});
  folded.node("BatchNormalization", {"c", "s", "b", "b", "v"}, {"y"}, {{"epsilon", 1e-5F}});
  all.push_back({"a variance of 1e-6", folded.output("y").graph, -1, 1});
  GraphMaker softmax;
  softmax.input("x", {1, 6906}).node("Softmax", {"x"}, {"y"}, {{"axis", std::int64_t{-1}}});
  all.push_back({"a Softmax of 6906", softmax.output("y").graph, -5, 5, tcu::DataType::fp32bp16});
  return all;
}

TEST(CheckVerdict, NetworksThatPoorLoweringsLoseAreRightInEachWay) {
  for (const LossyNetwork& network : lossy_networks()) {
    const bool softmax = network.type != tcu::DataType::fp16bp8;
    TcuSimulationConfig config = stock(network.type);
    config.architecture.dram0_depth = config.architecture.dram1_depth = 1U << 20U;
    if (softmax) {
      config.architecture.simd_registers_depth = 3;
      config.architecture.lookup_tables = {2, 256, 4};
    }
    nn::Values inputs = random_inputs(network.graph);  // from -1 to 1
    nn::Tensor& x = inputs.begin()->second;
    for (float& value : x.floats) {
      value = network.low + (value + 1) / 2 * (network.high - network.low);
    }
    if (softmax) x.floats[17] = 14.5F;
    for (const char* way : {"strategy", "optimise", "stripe"}) {
      if (softmax && way != std::string("strategy")) continue;
      SCOPED_TRACE(network.name + " by " + way);
      compiler::Options options;
      options.optimise = way == std::string("optimise");
      options.effort = 5;
      if (way == std::string("stripe")) options.via = compiler::Via::stripe;
      const Compiled compiled = bench::compile_network(network.graph, config, options);
      const Accuracy accuracy =
          bench::check_accuracy(network.graph, compiled, options, config, inputs);
      EXPECT_TRUE(accuracy.is_right());
      const bench::TensorError& output = accuracy.tensors.back();
      EXPECT_LT(output.rms_error, 0.01 * output.range());
    }
  }
}

}  // namespace
}  // namespace tactus
