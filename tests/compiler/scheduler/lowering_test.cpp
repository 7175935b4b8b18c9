// Division of layers into stages and partitions, the number of instructions, and refusals
// (toolchain spec sections 3.8, 3.9 and 3.11).
#include <sstream>
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "isa/tcu/instruction.h"
#include "tests/compiler/scheduler/net.h"
#include "tests/support/error_of.h"

namespace tactus::compiler {
namespace {

tcu::Architecture machine(std::uint64_t local, std::uint64_t accumulators) {
  tcu::Architecture a;
  a.array_size = 2;
  a.dram0_depth = a.dram1_depth = 1 << 20;
  a.local_depth = local;
  a.accumulator_depth = accumulators;
  return a;
}

CompiledProgram relu_of(std::uint64_t vectors, const tcu::Architecture& architecture) {
  ProgramBuilder builder(architecture, {});
  builder.begin_pass();
  Net net(builder, architecture.array_size);
  net.input("x", {1, vectors, 1}, {"relu"});
  net.begin("relu");
  net.load("x", "relu");
  net.relu();
  net.save("y", {{}, true});
  net.end();
  builder.add_outputs({"y"});
  return builder.finish();
}

struct ConvCase {
  Shape in;
  std::uint64_t kernel = 1, stride = 1, blocks = 1;
  bool bias = true;
};

CompiledProgram conv_of(const ConvCase& c, const tcu::Architecture& architecture,
                        BuilderOptions options = {}) {
  ProgramBuilder builder(architecture, options);
  for (unsigned pass = 0; pass < builder.passes(); ++pass) {
    builder.begin_pass();
    Net net(builder, architecture.array_size);
    net.input("x", c.in, {"conv"});
    net.begin("conv");
    net.conv("x", "conv", c.in, "w", c.bias ? "b" : "", c.kernel, c.stride, c.blocks);
    net.save("y", {{}, true});
    net.end();
    builder.add_outputs({"y"});
  }
  return builder.finish();
}

std::uint64_t count(const LayerStatistics& layer, tcu::Opcode opcode) {
  return layer.by_opcode[static_cast<std::size_t>(opcode)];
}

// ---- partitions --------------------------------------------------------------------------------

/// A pixel of a relu takes 2 accumulators (its input and its result) and 2 local vectors.
TEST(Partitions, AsManyRootsAsAccumulatorsAllow) {
  for (const std::uint64_t pixels : {1, 7, 16}) {
    SCOPED_TRACE(pixels);
    const std::uint64_t enough = 2 * pixels;
    EXPECT_EQ(relu_of(pixels, machine(1000, enough)).layers[0].partitions, 1U);
    EXPECT_EQ(relu_of(pixels, machine(1000, enough + 1)).layers[0].partitions, 1U);
    EXPECT_EQ(relu_of(pixels + 1, machine(1000, enough)).layers[0].partitions, 2U);
    EXPECT_EQ(relu_of(3 * pixels, machine(1000, enough)).layers[0].partitions, 3U);
    EXPECT_EQ(relu_of(3 * pixels + 1, machine(1000, enough)).layers[0].partitions, 4U);
  }
}

TEST(Partitions, AsManyRootsAsLocalMemoryAllows) {
  for (const std::uint64_t pixels : {1, 7, 16}) {
    SCOPED_TRACE(pixels);
    const std::uint64_t enough = 2 * pixels;
    EXPECT_EQ(relu_of(pixels, machine(enough, 1000)).layers[0].partitions, 1U);
    EXPECT_EQ(relu_of(pixels + 1, machine(enough + 1, 1000)).layers[0].partitions, 2U);
    EXPECT_EQ(relu_of(5 * pixels, machine(enough, 1000)).layers[0].partitions, 5U);
  }
}

/// A partition has one load, one move to accumulators, one Zero, one Max per vector, and two moves
/// back.
TEST(Partitions, InstructionsOfRelu) {
  const CompiledProgram program = relu_of(40, machine(1000, 20));
  EXPECT_EQ(program.layers[0].partitions, 4U);
  EXPECT_EQ(program.instructions, 4U * (1 + 1 + 1 + 10 + 2));
  EXPECT_EQ(program.layers[0].local.maximum, 20U);
  EXPECT_EQ(program.layers[0].local.aggregate, 80U);
  EXPECT_EQ(program.layers[0].accumulators.maximum, 20U);
}

// ---- stages ------------------------------------------------------------------------------------

/// A 1x1 convolution of one pixel to 8 blocks: a stage of s blocks takes 3 s constants (2 rows of
/// weights and a bias for each block), 1 input and s results.
TEST(Stages, CombineInPowersOfTwoAsLongAsTheyFit) {
  const auto stages = [](std::uint64_t local) {
    return conv_of({{1, 1, 1}, 1, 1, 8}, machine(local, 100)).layers[0].stages;
  };
  EXPECT_EQ(stages(4 * 1 + 1), 8U);
  EXPECT_EQ(stages(4 * 2), 8U);
  EXPECT_EQ(stages(4 * 2 + 1), 4U);
  EXPECT_EQ(stages(4 * 4), 4U);
  EXPECT_EQ(stages(4 * 4 + 1), 2U);
  EXPECT_EQ(stages(4 * 8), 2U);
  EXPECT_EQ(stages(4 * 8 + 1), 1U);
}

/// Five blocks in stages of two: a stage takes every third block, since ceil(5 / 2) = 3. The stages
/// have blocks 0 and 3, 1 and 4, and 2.
TEST(Stages, TakeEveryNthBlock) {
  std::ostringstream lir;
  BuilderOptions options;
  options.dump_lir = &lir;
  conv_of({{1, 1, 1}, 1, 1, 5, false}, machine(7, 100), options);
  EXPECT_EQ(lir.str(), R"(layer "conv"
 stage 0 partition 0 init
  data_move DRAM1(0) -> Local(0), 1
  data_move DRAM1(5) -> Local(1), 1
  data_move DRAM1(3) -> Local(2), 1
  data_move DRAM1(8) -> Local(3), 1
 stage 0 partition 0 load
  data_move DRAM0(0) -> Local(4), 1
 stage 0 partition 0 compute
  load_weights Local(0), 2
  load_weights Zeroes, 1
  mat_mul Local(4) -> Acc(0), 1
  load_weights Local(2), 2
  load_weights Zeroes, 1
  mat_mul Local(4) -> Acc(1), 1
  data_move Acc(0) -> Local(5), 2
 stage 0 partition 0 save
  data_move Local(5) -> DRAM0(1), 1
  data_move Local(6) -> DRAM0(4), 1
 stage 1 partition 0 init
  data_move DRAM1(1) -> Local(0), 1
  data_move DRAM1(6) -> Local(1), 1
  data_move DRAM1(4) -> Local(2), 1
  data_move DRAM1(9) -> Local(3), 1
 stage 1 partition 0 load
  data_move DRAM0(0) -> Local(4), 1
 stage 1 partition 0 compute
  load_weights Local(0), 2
  load_weights Zeroes, 1
  mat_mul Local(4) -> Acc(0), 1
  load_weights Local(2), 2
  load_weights Zeroes, 1
  mat_mul Local(4) -> Acc(1), 1
  data_move Acc(0) -> Local(5), 2
 stage 1 partition 0 save
  data_move Local(5) -> DRAM0(2), 1
  data_move Local(6) -> DRAM0(5), 1
 stage 2 partition 0 init
  data_move DRAM1(2) -> Local(0), 1
  data_move DRAM1(7) -> Local(1), 1
 stage 2 partition 0 load
  data_move DRAM0(0) -> Local(2), 1
 stage 2 partition 0 compute
  load_weights Local(0), 2
  load_weights Zeroes, 1
  mat_mul Local(2) -> Acc(0), 1
  data_move Acc(0) -> Local(3), 1
 stage 2 partition 0 save
  data_move Local(3) -> DRAM0(3), 1
)");
}

TEST(Stages, SeveralPartitionsKeepTheWeights) {
  // The memory holds 3 constants and 2 vectors for each of 4 pixels.
  const CompiledProgram program = conv_of({{1, 10, 1}, 1, 1, 1}, machine(3 + 2 * 4, 100));
  EXPECT_EQ(program.layers[0].stages, 1U);
  EXPECT_EQ(program.layers[0].partitions, 3U);
  EXPECT_EQ(program.instructions, 1U + 3 * (1 + 1 + 1 + 2));
}

// ---- costs of a convolution --------------------------------------------------------------------

TEST(ConvolutionCost, ThreeByThreeSame) {
  for (const std::uint64_t size : {8, 16, 32}) {
    for (const auto& [ci, co] : {std::pair(1, 1), std::pair(2, 2), std::pair(1, 3)}) {
      SCOPED_TRACE(fmt::format("{}x{} {}>{}", size, size, ci, co));
      const auto in = static_cast<std::uint64_t>(ci), out = static_cast<std::uint64_t>(co);
      const LayerStatistics layer =
          conv_of({{size, size, in}, 3, 1, out}, machine(1 << 16, 1 << 16)).layers[0];
      const std::uint64_t tiles = 9 * in * out;
      EXPECT_EQ(layer.mat_mul_vectors, tiles * size * size);
      // For each of the four sides of the image, three taps read the zeroes beyond it; each corner
      // counts for two sides, so one of the two is subtracted.
      EXPECT_EQ(layer.zeroes_vectors, (12 * size - 4) * in * out);
      EXPECT_EQ(layer.true_macs, (9 * size * size - 12 * size + 4) * in * out * 4);
      // With three blocks, the pixels of a block are three vectors apart, which no stride code
      // expresses.
      const std::uint64_t rolled = (6 * (size + 1) + 5) * in * out;
      EXPECT_EQ(count(layer, tcu::Opcode::mat_mul), out == 3 ? layer.mat_mul_vectors : rolled);
      const std::uint64_t merged = in == 1 ? out : 0;
      EXPECT_EQ(count(layer, tcu::Opcode::load_weights), 2 * tiles - merged);
    }
  }
}

TEST(ConvolutionCost, OneByOneIsOneMatMulPerTile) {
  const LayerStatistics layer =
      conv_of({{16, 16, 4}, 1, 1, 2}, machine(1 << 16, 1 << 16)).layers[0];
  EXPECT_EQ(count(layer, tcu::Opcode::mat_mul), 8U);
  EXPECT_EQ(layer.mat_mul_vectors, 8U * 256);
}

TEST(ConvolutionCost, StrideTwoLoadsPixelByPixel) {
  const LayerStatistics layer =
      conv_of({{32, 32, 2}, 1, 2, 1}, machine(1 << 16, 1 << 16)).layers[0];
  // One DataMove for the constants, 256 for the pixels, two for the result.
  EXPECT_EQ(count(layer, tcu::Opcode::data_move), 1U + 256 + 2);
}

// ---- results -----------------------------------------------------------------------------------

TEST(ProgramBuilder, LayersWithoutSavesGiveNoInstructions) {
  ProgramBuilder builder(machine(16, 16), {});
  builder.begin_pass();
  Net net(builder, 2);
  net.input("x", {1, 2, 1}, {"alias"});
  net.begin("alias");
  const Addresses from = builder.memory().consume("x", "alias").addresses;
  builder.memory().blend("y", {4}, from, {"x"}, {{}, true});
  net.end();
  builder.add_outputs({"y"});
  const CompiledProgram program = builder.finish();
  EXPECT_EQ(program.layers.size(), 0U);
  EXPECT_EQ(program.program.size(), 0U);
  EXPECT_EQ(program.outputs, (std::vector<tcu::TensorEntry>{{"y", 0, 2}}));
}

/// The host joins the pieces of an output in the order of their addresses, so an output's addresses
/// must be increasing.
TEST(ProgramBuilder, OutputsOutOfOrderAreCopied) {
  ProgramBuilder builder(machine(16, 16), {});
  builder.begin_pass();
  Net net(builder, 2);
  net.input("x", {1, 2, 1}, {"swap"});
  net.begin("swap");
  const Addresses from = builder.memory().consume("x", "swap").addresses;
  builder.memory().blend("y", {4}, {from[1], from[0]}, {"x"}, {{}, true});
  net.end();
  builder.add_outputs({"y"});
  const CompiledProgram program = builder.finish();
  EXPECT_EQ(program.layers.size(), 1U);
  EXPECT_EQ(program.outputs, (std::vector<tcu::TensorEntry>{{"y", 2, 2}}));
}

/// All vectors of the sum are saved, but only the first pixel of the relu.
TEST(ProgramBuilder, DroppedResultsDoNotHideWhatTheyRead) {
  ProgramBuilder builder(machine(64, 64), {});
  builder.begin_pass();
  MemoryManager& memory = builder.memory();
  Net net(builder, 2);
  net.input("x", {1, 3, 1}, {"n"});
  hir::Layer layer{"n", {}};
  const Addresses x = memory.consume("x", "n").addresses;
  const Addresses a = memory.allocate_temp(3), b = memory.allocate_temp(3);
  layer.add(hir::Kind::load, {x}, a);
  layer.add(hir::Kind::relu, {a}, b);
  layer.add(hir::Kind::save, {a}, memory.allocate_variable("a", {6}, 3, {{}, true}).addresses);
  layer.add(hir::Kind::save, {{b[0]}}, memory.allocate_variable("b", {2}, 1, {{}, true}).addresses);
  builder.add_layer(layer);
  builder.add_outputs({"a", "b"});
  const CompiledProgram program = builder.finish();
  // 4 accumulators: 3 vectors and one result of the relu. 2 SIMD instructions: Zero and one Max.
  EXPECT_EQ(program.layers[0].accumulators.maximum, 4U);
  EXPECT_EQ(count(program.layers[0], tcu::Opcode::simd), 2U);
}

TEST(ProgramBuilder, HirDump) {
  std::ostringstream hir;
  BuilderOptions options;
  options.dump_hir = &hir;
  conv_of({{1, 2, 1}, 3, 1, 1}, machine(100, 100), options);
  const std::string begin = R"(layer "conv"
  mat_mul 2 pairs of 1 -> 1 blocks
    weights DRAM1(1..2)
    bias DRAM1(0)
    inputs Zeroes*2
    -> Temp(0.0..1)
)";
  EXPECT_EQ(hir.str().substr(0, begin.size()), begin);
  const std::string middle = R"(    weights DRAM1(9..10)
    inputs DRAM0(0..1)
    -> Temp(0.0..1)
)";
  EXPECT_NE(hir.str().find(middle), std::string::npos);
  const std::string end = R"(  save of 2
    Temp(0.0..1)
    -> DRAM0(2..3)
)";
  EXPECT_EQ(hir.str().substr(hir.str().size() - end.size()), end);
}

// ---- refusals ----------------------------------------------------------------------------------

TEST(Refusals, MemoriesTooSmallForAResult) {
  EXPECT_EQ(error_of([] { relu_of(3, machine(100, 1)); }),
            "layer \"relu\": insufficient accumulators, required at least 2 vectors for one of "
            "its results, there are 1");
  EXPECT_EQ(error_of([] { relu_of(3, machine(1, 100)); }),
            "layer \"relu\": insufficient local memory, required at least 2 vectors for one of "
            "its results, there are 1");
  // Local memory must hold 3 x 3 x 2 rows of weights, a bias, the only pixel (all others are
  // padding) and a result.
  EXPECT_EQ(error_of([] {
              conv_of({{1, 1, 1}, 3, 1, 1}, machine(20, 100));
            }),
            "layer \"conv\": insufficient local memory, required at least 21 vectors for one of "
            "its results, there are 20");
  EXPECT_EQ(error_of([] { conv_of({{1, 1, 1}, 3, 1, 1}, machine(21, 100)); }), "no error");
}

TEST(Refusals, SharedStrategiesCannotSplit) {
  BuilderOptions options;
  options.strategy = Strategy::local_vars;
  // 4 results are in local memory all the time; 4 inputs and 3 constants only during the layer.
  EXPECT_EQ(error_of([&] {
              conv_of({{1, 4, 1}, 1, 1, 1}, machine(10, 100), options);
            }),
            "layer \"conv\": insufficient local memory, required 7 vectors besides the 4 in use, "
            "there are 10; strategy local-isolated can split a layer");
  EXPECT_EQ(error_of([&] {
              conv_of({{1, 4, 1}, 1, 1, 1}, machine(11, 100), options);
            }),
            "no error");
  EXPECT_EQ(error_of([&] {
              conv_of({{1, 4, 1}, 1, 1, 1}, machine(11, 3), options);
            }),
            "layer \"conv\": insufficient accumulators, required 4 vectors, there are 3; strategy "
            "local-isolated can split a layer");
}

TEST(Refusals, Threads) {
  tcu::Architecture architecture = machine(16, 16);
  architecture.number_of_threads = 2;
  EXPECT_EQ(error_of([&] { ProgramBuilder builder(architecture, {}); }),
            "number_of_threads is 2; programs are compiled for 1 thread only");
}

TEST(Refusals, MistakesOfAFrontendAreInternalErrors) {
  const auto layer_with = [](const std::function<void(MemoryManager&, hir::Layer&)>& fill) {
    ProgramBuilder builder(machine(16, 16), {});
    builder.begin_pass();
    MemoryManager& memory = builder.memory();
    memory.allocate_input("x", {2}, 1, {{"n"}, false});
    hir::Layer layer{"n", {}};
    fill(memory, layer);
    const Object& y = memory.allocate_variable("y", {2}, 1, {{}, true});
    layer.add(hir::Kind::save, {memory.allocate_temp(1)}, y.addresses);
    builder.add_layer(layer);
  };
  // the saved vector is never written
  EXPECT_THROW(layer_with([](MemoryManager&, hir::Layer&) {}), InternalError);
  EXPECT_THROW(layer_with([](MemoryManager& m, hir::Layer& layer) {
                 const Addresses t = m.allocate_temp(1);
                 layer.add(hir::Kind::load, {m.get("x").addresses}, t);
                 layer.add(hir::Kind::load, {m.get("x").addresses}, t);
               }),
               InternalError);
  EXPECT_THROW(layer_with([](MemoryManager& m, hir::Layer& layer) {
                 layer.add(hir::Kind::relu, {m.get("x").addresses}, m.allocate_temp(1));
               }),
               InternalError);
  EXPECT_THROW(layer_with([](MemoryManager& m, hir::Layer& layer) {
                 layer.add(hir::Kind::add, {m.get("x").addresses}, m.allocate_temp(1));
               }),
               InternalError);
}

/// The kinds of operation in a layer have a fixed order, so an add cannot follow a relu.
TEST(Refusals, OperationsOutOfOrderAreInternalErrors) {
  ProgramBuilder builder(machine(16, 16), {});
  builder.begin_pass();
  Net net(builder, 2);
  net.input("x", {1, 1, 1}, {"n", "n"});
  net.begin("n");
  net.load("x", "n");
  net.relu();
  net.add("x", "n");
  net.save("y", {{}, true});
  EXPECT_THROW(net.end(), InternalError);
}

}  // namespace
}  // namespace tactus::compiler
