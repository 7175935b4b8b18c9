// The estimator: closed forms, and figures that the reference's compiler printed for its own
// programs.
#include "firmware/bench/estimator.h"

#include <gtest/gtest.h>

#include "firmware/compiler/compiler.h"
#include "firmware/driver/tcu/model.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/tcu/assembler.h"
#include "tests/support/shared.h"

namespace tactus::bench {
namespace {

using tcu::InstructionKind;

tcu::Architecture small_architecture() {
  tcu::Architecture architecture;
  architecture.array_size = 4;
  architecture.thread_queue_depth = 1;  // `execution` leaves out the last 1 + 1 instructions
  return architecture;
}

std::vector<tcu::Instruction> program(const tcu::Architecture& architecture, const char* text) {
  return decode_program(tcu::InstructionLayout(architecture),
                        tcu::assemble_bytes(architecture, text, "test program"));
}

TEST(Estimator, EveryKindOfInstruction) {
  const tcu::Architecture a = small_architecture();
  const Estimate e = estimate(a, program(a, R"(
    NoOp
    DataMove DRAM1(0) -> Local(0), 5
    DataMove DRAM0(0) -> Local(8), 3
    LoadWeights Local(0), 5
    MatMul Local(8) -> Acc(0), 3
    MatMul Local(8) -> Acc(0), 2
    DataMove Local(8) -> Acc(8), 6
    MatMul Local(8) -> Acc(0), 1
    DataMove Acc(0) -> Local(16), 7
    DataMove Local(16) -> DRAM0(16), 4
    DataMove Local(16) -> DRAM1(16), 2
  )"));
  const auto cycles = [&](InstructionKind kind) {
    return e.by_kind[static_cast<std::size_t>(kind)].cycles;
  };
  const auto energy = [&](InstructionKind kind) {
    return e.by_kind[static_cast<std::size_t>(kind)].energy;
  };
  EXPECT_EQ(cycles(InstructionKind::no_op), 1U);
  EXPECT_EQ(cycles(InstructionKind::dram1_to_local), 5U);
  EXPECT_EQ(cycles(InstructionKind::dram0_to_local), 3U);
  EXPECT_EQ(cycles(InstructionKind::load_weights), 5U);
  // A MatMul costs N cycles more after a LoadWeights, 2N more after a DataMove, and none more after
  // a MatMul.
  EXPECT_EQ(cycles(InstructionKind::mat_mul), (3U + 4) + 2 + (1U + 8));
  EXPECT_EQ(cycles(InstructionKind::local_to_accumulator), 6U);
  EXPECT_EQ(cycles(InstructionKind::accumulator_to_local), 7U);
  EXPECT_EQ(cycles(InstructionKind::local_to_dram0), 4U);
  EXPECT_EQ(cycles(InstructionKind::local_to_dram1), 2U);
  EXPECT_EQ(e.aggregate.cycles, 1U + 5 + 3 + 5 + 18 + 6 + 7 + 4 + 2);
  EXPECT_EQ(e.execution.cycles, e.aggregate.cycles - 4 - 2);
  EXPECT_EQ(e.execution.instructions, 9U);
  EXPECT_EQ(energy(InstructionKind::mat_mul), 6U * 4 * 4);
  EXPECT_EQ(energy(InstructionKind::dram1_to_local), 500U);
  EXPECT_EQ(energy(InstructionKind::load_weights), 50U);
  EXPECT_EQ(energy(InstructionKind::accumulator_to_local), 70U);
  EXPECT_EQ(energy(InstructionKind::no_op), 0U);
  EXPECT_EQ(e.aggregate.energy, 96U + 500 + 300 + 50 + 60 + 70 + 400 + 200);
}

TEST(Estimator, SimdAndConfigure) {
  const tcu::Architecture a = small_architecture();
  const tcu::InstructionLayout layout(a);
  const Estimate e = estimate(
      a, {tcu::make_simd(layout, {tcu::SimdOp::max, 0, 1, 0}, 3, 7, true, true),
          tcu::make_simd(layout, {tcu::SimdOp::zero, 0, 0, 1}, 0, 0, false, false),
          tcu::make_configure(layout, tcu::ConfigRegister::timeout, 100), tcu::make_no_op()});
  EXPECT_EQ(e.aggregate.cycles, 3U);
  EXPECT_EQ(e.aggregate.energy, 8U);
}

TEST(Estimator, AlsoHasTheFormulaOfMarch2022) {
  tcu::Architecture a = small_architecture();  // a vector has 64 bits, i.e. one word
  const char* text = R"(
    DataMove DRAM1(0) -> Local(0), 5
    LoadWeights Local(0), 5
    MatMul Local(8) -> Acc(0), 3
    DataMove Local(16) -> DRAM0(16), 4
  )";
  EXPECT_EQ(estimate(a, program(a, text), Formula::march_2022).aggregate.cycles,
            2U * 5 + 5 + 3 + 4);
  a.array_size = 12;  // a vector has 192 bits, i.e. two words
  EXPECT_EQ(estimate(a, program(a, text), Formula::march_2022).aggregate.cycles,
            2U * 2 * 5 + 5 + 3 + 2 * 4);
}

TEST(Estimator, EachLayerIsEstimatedAlone) {
  const tcu::Architecture a = small_architecture();
  const auto p = program(a, R"(
    LoadWeights Local(0), 5
    MatMul Local(8) -> Acc(0), 3
    MatMul Local(8) -> Acc(0), 3
    NoOp
  )");
  const auto layers = estimate_layers(a, p, {{"a", 0, 2}, {"b", 2, 2}, {"c", 4, 0}});
  ASSERT_EQ(layers.size(), 3U);
  EXPECT_EQ(layers[0].aggregate.cycles, 5U + 3 + 4);
  // The estimate of a layer does not know the previous instruction, so its first MatMul costs 2N =
  // 8 cycles more.
  EXPECT_EQ(layers[1].aggregate.cycles, 3U + 8 + 1);
  EXPECT_EQ(layers[2].aggregate.cycles, 0U);
  EXPECT_THROW((void)estimate_layers(a, p, {{"d", 3, 2}}), UserError);
  EXPECT_THROW((void)estimate_layers(a, p, {{"d", 5, 0}}), UserError);
}

TEST(Estimator, TwoThreadsAreRefused) {
  tcu::Architecture a = small_architecture();
  a.number_of_threads = 2;
  EXPECT_THROW((void)estimate(a, {}), UserError);
}

TEST(Estimator, ShortProgramsHaveNoExecutedPart) {
  const tcu::Architecture a = small_architecture();
  EXPECT_EQ(estimate(a, program(a, "NoOp\nNoOp")).execution.instructions, 0U);
  EXPECT_EQ(estimate(a, {}).aggregate.cycles, 0U);
}

/// Estimates a golden program. The expected figures are those that the reference's compiler
/// printed.
Estimate golden(const std::string& model, Formula formula = Formula::current) {
  const Model m =
      read_model(shared_folder() + "/golden/tcu/programs/" + model, ProgramChecks::strict);
  return estimate(m.file.arch, decode_program(tcu::InstructionLayout(m.file.arch), m.program),
                  formula);
}

TEST(Estimator, GoldenSpeechCommands) {
  const std::string model = "speech_commands/speech_commands_onnx_speech_robot.tmodel";
  TACTUS_NEEDS_SHARED("golden/tcu/programs/" + model);
  const Estimate e = golden(model);
  EXPECT_EQ(e.execution.cycles, 891405U);
  EXPECT_EQ(e.aggregate.instructions, 80308U);
}

TEST(Estimator, GoldenResNet20) {
  const std::string model = "resnet20v2_zcu104/resnet20v2_cifar_onnx_zcu104.tmodel";
  TACTUS_NEEDS_SHARED("golden/tcu/programs/" + model);
  const Estimate e = golden(model);
  EXPECT_EQ(e.aggregate.cycles, 293590U);
  EXPECT_EQ(e.execution.cycles, 293455U);
  EXPECT_EQ(e.aggregate.instructions, 50171U);
  // The specification gives 7.0 ms at 100 MHz for the formula of March 2022, rounded.
  const std::uint64_t march = golden(model, Formula::march_2022).aggregate.cycles;
  EXPECT_GE(march, 695000U);
  EXPECT_LT(march, 705000U);
}

/// Compiles the zoo's ResNet-20 as the reference does.
compiler::Compiled resnet20(const char* arch, compiler::Strategy strategy) {
  compiler::Options options;
  options.compat = true;
  options.strategy = strategy;
  const std::string file = std::string(TACTUS_SOURCE_DIR) + "/configs/arch/" + arch + ".tarch";
  return compile(nn::zoo_entry("resnet20v2").build(nn::default_zoo_seed).graph,
                 tcu::read_architecture(file), options);
}

Estimate estimate_of(const compiler::Compiled& compiled) {
  return estimate(compiled.architecture,
                  decode_program(tcu::InstructionLayout(compiled.architecture), compiled.program));
}

TEST(Estimator, TheFourStrategies) {
  using compiler::Strategy;
  EXPECT_EQ(estimate_of(resnet20("zcu104", Strategy::local_isolated)).execution.cycles, 293455U);
  const auto uram = [](Strategy strategy) {
    return estimate_of(resnet20("zcu104_uram", strategy)).execution.cycles;
  };
  EXPECT_EQ(uram(Strategy::local_vars), 235945U);
  EXPECT_EQ(uram(Strategy::local_consts), 272952U);
  EXPECT_EQ(uram(Strategy::local_vars_and_consts), 217128U);
}

TEST(Estimator, TheReferencesSummaryAndLayers) {
  const compiler::Compiled compiled = resnet20("zcu104_uram", compiler::Strategy::local_isolated);
  const Estimate all = estimate_of(compiled);
  EXPECT_EQ(all.execution.cycles, 291769U);
  EXPECT_EQ(all.aggregate.cycles, 291904U);
  // The reference prints energy in MUnits with three decimals.
  EXPECT_EQ((all.execution.energy + 500) / 1000, 103978U);
  EXPECT_EQ((all.aggregate.energy + 500) / 1000, 103981U);

  std::vector<tcu::LayerEntry> layers;
  for (const compiler::LayerInfo& layer : compiled.layers) {
    layers.push_back({layer.name, layer.first_instruction, layer.instructions});
  }
  std::vector<std::uint64_t> cycles;
  for (const Estimate& layer : estimate_layers(
           compiled.architecture,
           decode_program(tcu::InstructionLayout(compiled.architecture), compiled.program),
           layers)) {
    cycles.push_back(layer.aggregate.cycles);
  }
  EXPECT_EQ(cycles, (std::vector<std::uint64_t>{14187, 7364,  5219,  14187, 25805, 7364,  14187,
                                                13508, 5388,  14344, 10241, 3463,  14759, 14621,
                                                5387,  14759, 8460,  6440,  7184,  5121,  3605,
                                                24213, 11081, 6437,  24213, 9571,  796}));
}

}  // namespace
}  // namespace tactus::bench
