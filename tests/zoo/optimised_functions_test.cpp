// Networks with functions by lookup tables and products of two computed operands, by the optimiser.
// Values are correct, machine and interpreter agree, and cycles are fewer than with the strategy
// and close to the prediction.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/reference/reference.h"
#include "isa/support/error.h"
#include "tests/compiler/frontend/graphs.h"
#include "tests/support/random_program.h"
#include "tests/support/test_scale.h"
#include "tests/zoo/random_graph.h"
#include "tests/zoo/simulated.h"

namespace tactus::nn {
namespace {

using compiler::GraphMaker;

Target with_tables(Target target, std::uint32_t depth = 256, std::uint32_t key_binary_point = 4) {
  tcu::Architecture& a = target.architecture;
  a.lookup_tables = {2, depth, key_binary_point};
  a.simd_registers_depth = std::max<std::uint32_t>(a.simd_registers_depth, 3);
  return target;
}

/// Returns a machine with the boards' data type. With that of wide(), rounding is negligible.
Target board() {
  Target target;
  target.architecture = tcu::read_architecture(TACTUS_SOURCE_DIR "/configs/arch/artya7100t.tarch");
  target.axi_data_bits = 128;
  return with_tables(target);
}
Target wide() {
  Target target = board();
  target.architecture.data_type = tcu::DataType::fp32bp16;
  return target;
}

struct Comparison {
  compiler::Compiled compiled;
  Cycle cycles = 0, by_strategy = 0;
};

/// Runs the network compiled by both compilers. Errors against float are within twice the
/// strategy's errors plus some units of the last place.
Comparison compare(const Graph& graph, const Target& target, const Tensors& inputs,
                   std::uint64_t effort = 20) {
  Comparison comparison;
  comparison.compiled = compile_for(graph, target, true, effort);
  const compiler::Compiled plain = compile_for(graph, target, false);
  Values values;
  for (const compiler::TensorLayout& layout : plain.input_layouts) {
    values[layout.name] = Tensor::of(layout.shape, inputs.at(layout.name));
  }
  const Values exact = run_reference(graph, values);
  const Outcome usual = run_on(plain, target, inputs);
  const Outcome actual = run_on(comparison.compiled, target, inputs);
  const Tensors in_order = compiler::run(comparison.compiled, inputs);
  const double unit =
      std::ldexp(1.0, -static_cast<int>(tcu::info(target.architecture.data_type).binary_point));
  for (const auto& [name, expected] : usual.outputs) {
    EXPECT_EQ(actual.outputs.at(name), in_order.at(name)) << name;
    const auto exactly = exact.find(name);
    const std::vector<float>& wanted = exactly == exact.end() ? expected : exactly->second.floats;
    EXPECT_LT(rms_error(actual.outputs.at(name), wanted),
              2 * rms_error(expected, wanted) + 6 * unit)
        << name << ", by the strategy " << rms_error(expected, wanted);
  }
  comparison.cycles = actual.cycles;
  comparison.by_strategy = usual.cycles;
  return comparison;
}

void expect_faster_and_as_predicted(const Comparison& comparison, double tolerance) {
  const compiler::Compiled& compiled = comparison.compiled;
  EXPECT_LE(comparison.cycles, comparison.by_strategy);
  const auto predicted = static_cast<double>(compiled.predicted_cycles);
  const auto measured = static_cast<double>(comparison.cycles);
  std::printf("%llu cycles, predicted %.0f (%+.2f %%), by the strategy %llu\n",
              static_cast<unsigned long long>(comparison.cycles), predicted,
              100 * (predicted / measured - 1),
              static_cast<unsigned long long>(comparison.by_strategy));
  EXPECT_NEAR(predicted / measured, 1, tolerance);
  std::uint64_t sum = 0, next = 0;
  for (const compiler::LayerInfo& layer : compiled.layers) {
    EXPECT_EQ(layer.first_instruction, next) << layer.name;
    next += layer.instructions;
    sum += layer.predicted_cycles;
  }
  EXPECT_EQ(next, compiled.instructions);
  // The prediction also includes the responses to the last writes, which come after the last layer.
  EXPECT_NEAR(static_cast<double>(sum), predicted, 0.01 * predicted + 100);
}

GraphMaker& conv(GraphMaker& maker, const std::string& in, const std::string& out,
                 std::int64_t from, std::int64_t to, std::int64_t kernel = 3) {
  const std::int64_t pad = kernel / 2;
  const float range = 2.0F / std::sqrt(static_cast<float>(from * kernel * kernel));
  return maker.weights("w_" + out, {to, from, kernel, kernel}, range)
      .weights("b_" + out, {to}, 0.25F)
      .node("Conv", {in, "w_" + out, "b_" + out}, {out},
            {{"pads", compiler::Ints{pad, pad, pad, pad}}});
}

// ---- networks -----------------------------------------------------------------------------------

/// A network with a function in the middle and more lanes than channels. The function's values in
/// padding lanes must not have an effect.
GraphMaker sigmoid_network() {
  GraphMaker maker(13);
  maker.input("x", {1, 3, 16, 16});
  conv(maker, "x", "c1", 3, 12).node("Relu", {"c1"}, {"r1"});
  conv(maker, "r1", "c2", 12, 20).node("Sigmoid", {"c2"}, {"s"});
  conv(maker, "s", "c3", 20, 12).node("Relu", {"c3"}, {"r3"});
  maker.node("Add", {"r1", "r3"}, {"a"});
  conv(maker, "a", "y", 12, 5).output("y");
  return maker;
}

/// A network with a function after every convolution; the strategy computes the function in the
/// layer of the convolution.
GraphMaker silu_network() {
  GraphMaker maker(13);
  maker.input("x", {1, 8, 16, 16});
  std::string last = "x";
  for (int k = 0; k < 3; ++k) {
    const std::string c = "c" + std::to_string(k);
    conv(maker, last, c, 8, 8, k == 1 ? 1 : 3)
        .node("Sigmoid", {c}, {c + "s"})
        .node("Mul", {c, c + "s"}, {c + "y"});
    last = c + "y";
  }
  maker.output(last);
  return maker;
}

/// A network whose channels are multiplied by a softmax over the channels; both the result and the
/// softmax are outputs.
GraphMaker softmax_network() {
  GraphMaker maker(13);
  maker.input("x", {1, 8, 8, 8});
  conv(maker, "x", "c1", 8, 16).node("Relu", {"c1"}, {"r"});
  maker.node("GlobalAveragePool", {"r"}, {"g"})
      .node("Softmax", {"g"}, {"p"}, {{"axis", std::int64_t{1}}})
      .node("Mul", {"r", "p"}, {"m"});
  conv(maker, "m", "c2", 16, 8).node("Relu", {"c2"}, {"y"}).output("y").output("p");
  return maker;
}

/// Attention with a residual sum, between dense layers.
GraphMaker attention_network() {
  GraphMaker maker(13);
  maker.input("x", {1, 24, 20});
  const auto dense = [&](const std::string& in, const std::string& out, std::int64_t from,
                         std::int64_t to) {
    maker.weights("w_" + out, {from, to}, 0.3F).node("MatMul", {in, "w_" + out}, {out});
  };
  maker.attention("x", "heads", 20, 0.3F);
  dense("heads", "o", 20, 20);
  maker.node("Add", {"x", "o"}, {"sum"});
  dense("sum", "f1", 20, 40);
  maker.node("Relu", {"f1"}, {"h"});
  dense("h", "f2", 40, 20);
  maker.node("Add", {"sum", "f2"}, {"y"}).output("y");
  return maker;
}

/// Expects correct values, and the predicted cycles: at most `share` of the strategy's.
void expect_right_and_faster(const Graph& graph, double share) {
  for (const Target& target : {board(), wide()}) {
    SCOPED_TRACE(tcu::info(target.architecture.data_type).name);
    const Tensors inputs = compiler::values_for(compile_for(graph, target, false), 1);
    const Comparison comparison = compare(graph, target, inputs);
    expect_faster_and_as_predicted(comparison, 0.01);
    EXPECT_LT(static_cast<double>(comparison.cycles),
              share * static_cast<double>(comparison.by_strategy));
    EXPECT_EQ(comparison.compiled.host, nullptr);
  }
}

TEST(OptimisedFunctions, Sigmoid) { expect_right_and_faster(sigmoid_network().graph, 0.7); }
TEST(OptimisedFunctions, Silu) { expect_right_and_faster(silu_network().graph, 0.95); }
TEST(OptimisedFunctions, Softmax) { expect_right_and_faster(softmax_network().graph, 0.7); }
TEST(OptimisedFunctions, Attention) { expect_right_and_faster(attention_network().graph, 0.4); }

/// Machines with extensions, and machines whose memories are too small for a whole layer.
TEST(OptimisedFunctions, OnMachinesWithExtensionsAndSmallMemories) {
  for (const GraphMaker& maker :
       {sigmoid_network(), silu_network(), softmax_network(), attention_network()}) {
    for (const tcu::ShadowWeights shadow :
         {tcu::ShadowWeights::off, tcu::ShadowWeights::own_reads}) {
      for (const std::uint32_t queue : {0U, 8U}) {
        Target target = board();
        tcu::Architecture& a = target.architecture;
        a.shadow_weights = shadow;
        a.dma_queue = queue;
        a.activation_unit = queue != 0;
        a.local_depth = 512;
        a.accumulator_depth = 96;
        const Tensors inputs = compiler::values_for(compile_for(maker.graph, target, false), 1);
        expect_faster_and_as_predicted(compare(maker.graph, target, inputs), 0.05);
      }
    }
  }
}

/// Some outputs share the vectors of another output or of an input, and one has a reader.
TEST(OptimisedFunctions, WithOutputsThatShareValues) {
  GraphMaker maker(13);
  maker.input("x", {1, 8, 6, 6});
  conv(maker, "x", "c", 8, 8)
      .node("Sigmoid", {"c"}, {"s"})
      .node("Identity", {"s"}, {"t"})
      .node("Identity", {"x"}, {"u"});
  conv(maker, "t", "y", 8, 8).output("s").output("t").output("u").output("c").output("y");
  const Target target = wide();
  const Tensors inputs = compiler::values_for(compile_for(maker.graph, target, false), 1);
  const Comparison comparison = compare(maker.graph, target, inputs);
  EXPECT_EQ(comparison.compiled.output_layouts.size(), 5U);
}

/// Three images at a time, and constants that stay in local memory.
TEST(OptimisedFunctions, OfSeveralImagesAndWithResidentConstants) {
  constexpr std::uint32_t images = 3;
  const Target target = wide();
  for (const GraphMaker& maker :
       {sigmoid_network(), silu_network(), softmax_network(), attention_network()}) {
    const compiler::Compiled single = compile_for(maker.graph, target, false);
    compiler::Options options;
    options.optimise = true;
    options.effort = 20;
    options.batch = images;
    const compiler::Compiled batch = compiler::compile(maker.graph, target.architecture, options);
    options.batch = 1;
    options.resident = true;
    const compiler::Compiled resident =
        compiler::compile(maker.graph, target.architecture, options);
    EXPECT_FALSE(resident.resident.empty());
    Tensors all;
    std::vector<Tensors> expected;
    for (std::uint32_t image = 0; image < images; ++image) {
      Tensors inputs = compiler::values_for(single, 1);
      for (auto& [name, values] : inputs) {
        for (float& value : values) value *= 1 - static_cast<float>(image) / 4;
        all[name].insert(all[name].end(), values.begin(), values.end());
      }
      expected.push_back(compiler::run(single, inputs));
      const Tensors actual = run_on(resident, target, inputs).outputs;
      for (const auto& [name, values] : expected.back()) {
        EXPECT_LT(rms_error(actual.at(name), values), 0.002) << name;
      }
    }
    const Tensors together = run_on(batch, target, all).outputs;
    for (const auto& [name, values] : together) {
      const std::size_t size = values.size() / images;
      for (std::uint32_t image = 0; image < images; ++image) {
        const auto first = values.begin() + static_cast<std::ptrdiff_t>(image * size);
        EXPECT_LT(
            rms_error({first, first + static_cast<std::ptrdiff_t>(size)}, expected[image].at(name)),
            0.002)
            << name << " of image " << image;
      }
    }
  }
}

/// The maximum has operands that are stored negated and operands that are not; readers must take
/// the sign into account.
TEST(OptimisedMaxima, OfNegatedAndPlainOperands) {
  GraphMaker maker(11);
  maker.input("x", {1, 9})
      .node("Relu", {"x"}, {"r"})
      .node("ReduceMax", {"r"}, {"m"}, {{"axes", compiler::Ints{1}}})
      .node("Sub", {"r", "m"}, {"y"})
      .output("y");
  Target target = board();
  target.architecture.array_size = 4;
  target.axi_data_bits = 64;
  const Tensors inputs{{"x", {1, 0.5F, 0, -1, 2, 1, 1, 0.25F, 0.75F}}};
  const Outcome outcome = run_on(compile_for(maker.graph, target, true), target, inputs);
  const std::vector<float> expected{-1, -1.5F, -2, -2, 0, -1, -1, -1.75F, -1.25F};
  EXPECT_EQ(outcome.outputs.at("y"), expected);
}

// ---- random networks ----------------------------------------------------------------------------

/// Replaces some values by a function of themselves, which keeps values within their range.
Graph with_functions(Graph graph, std::uint64_t seed) {
  tactus::Random random(seed ^ 0xF0C7);
  std::vector<Node> nodes;
  for (Node& node : graph.nodes) {
    const bool changes = node.outputs.size() == 1 && node.op_type != "Softmax" && random.chance(25);
    if (!changes) {
      nodes.push_back(std::move(node));
      continue;
    }
    Node function;
    function.op_type = random.pick({"Sigmoid", "Tanh", "Softplus"});
    function.name = node.name + "_function";
    function.outputs = node.outputs;
    function.inputs = {node.outputs[0] + "_before"};
    node.outputs = function.inputs;
    nodes.push_back(std::move(node));
    nodes.push_back(std::move(function));
  }
  graph.nodes = std::move(nodes);
  return graph;
}

TEST(RandomNetworks, WithFunctionsAreAsNearFloatAsThoseOfTheStrategy) {
  std::size_t compiled = 0, refused = 0;
  std::uint64_t cycles = 0, by_the_strategy = 0;
  for (const std::uint64_t seed : test_seeds(4001, 160)) {
    const Graph plain = random_graph(seed);
    const Graph graph = with_functions(plain, seed);
    if (graph.nodes.size() == plain.nodes.size()) continue;
    tactus::Random random(seed);
    Target target;
    target.architecture = random_architecture(random, target.axi_data_bits);
    target.architecture.dram0_depth = target.architecture.dram1_depth = std::uint64_t{1} << 18;
    target.architecture.local_depth = random.range(400, 9000);
    // The accumulators' addresses must be wide enough for a table.
    target.architecture.accumulator_depth = random.range(128, 3000);
    target = with_tables(target);
    SCOPED_TRACE("seed " + std::to_string(seed) + "\n" + to_json(target.architecture) + "\n" +
                 describe(graph));
    const Tensors inputs = floats_of(random_inputs(graph, seed));
    try {
      const Comparison comparison = compare(graph, target, inputs, 1 + seed % 8);
      ++compiled;
      cycles += comparison.cycles;
      by_the_strategy += comparison.by_strategy;
    } catch (const UserError& error) {
      ++refused;
      const std::string text = error.what();
      EXPECT_TRUE(text.find("insufficient") != std::string::npos || text.rfind("out of ", 0) == 0)
          << text;
    }
    if (testing::Test::HasFailure()) return;  // the first failing seed is enough
  }
  std::printf("%zu compiled, %zu refused; %llu cycles, by the strategy %llu\n", compiled, refused,
              static_cast<unsigned long long>(cycles),
              static_cast<unsigned long long>(by_the_strategy));
  if (compiled + refused >= 10) {
    EXPECT_GT(compiled, 4 * refused);
    EXPECT_LT(cycles, by_the_strategy);
  }
}

}  // namespace
}  // namespace tactus::nn
