// Programs that hang the hardware (hardware spec section 14) end as a hang, with a text that names
// the waiting unit.
#include <string>

#include <gtest/gtest.h>

#include "firmware/driver/tcu/simulation.h"
#include "isa/tcu/assembler.h"
#include "tests/support/run_record.h"

namespace tactus {
namespace {

/// Accumulators and DRAM are deeper than local memory.
tcu::Architecture small() {
  tcu::Architecture a;
  a.local_depth = 16;
  a.accumulator_depth = 64;
  a.dram0_depth = a.dram1_depth = 256;
  return a;
}

tcu::Instruction simd(const tcu::Architecture& a, tcu::SimdFields fields, bool read, bool write) {
  return make_simd(tcu::InstructionLayout(a), fields, 1, 2, read, write);
}

TcuRunResult run(const tcu::Architecture& a, const std::vector<tcu::Instruction>& program,
                 Cycle max_cycles = 0) {
  TcuSimulationConfig config;
  config.architecture = a;
  TcuSimulation simulation(config);
  TcuRunOptions options;
  options.max_cycles = max_cycles;
  return simulation.run(encode_program(tcu::InstructionLayout(a), program), options);
}

void expect_hang(const tcu::Architecture& a, const std::vector<tcu::Instruction>& program,
                 const std::vector<std::string>& expected) {
  const TcuRunResult result = run(a, program, 100000);
  ASSERT_EQ(result.end, RunEnd::hang);
  EXPECT_LT(result.cycles, 5000U);
  std::string text;
  for (const std::string& line : result.waits_for) text += line + "\n";
  for (const std::string& part : expected) {
    EXPECT_NE(text.find(part), std::string::npos) << "no \"" << part << "\" in:\n" << text;
  }
}

TEST(Hangs, SimdReadsAVectorThatItDoesNotUse) {
  const tcu::Architecture a = small();
  expect_hang(a, {simd(a, {tcu::SimdOp::zero, 0, 0, 0}, true, false)}, {"accumulators: "});
  expect_hang(a, {simd(a, {tcu::SimdOp::no_op, 0, 0, 0}, true, false)}, {"accumulators: "});
}

TEST(Hangs, SimdUsesAVectorThatItDoesNotRead) {
  const tcu::Architecture a = small();
  for (const bool write : {false, true}) {
    expect_hang(a, {simd(a, {tcu::SimdOp::move, 0, 0, 0}, false, write)},
                {"accumulators: SIMD instruction", "waits for the ALU's input vector"});
    expect_hang(a, {simd(a, {tcu::SimdOp::add, 1, 0, 1}, false, write)},
                {"accumulators: SIMD instruction", "waits for the ALU's input vector"});
  }
}

TEST(Hangs, ReadAndWriteBetweenRegisters) {
  const tcu::Architecture a = small();
  expect_hang(a, {simd(a, {tcu::SimdOp::add, 1, 1, 0}, true, true)},
              {"accumulators: data for a write to accumulator 1"});
}

TEST(Hangs, AWriteWithoutOperation) {
  const tcu::Architecture a = small();
  expect_hang(a, {simd(a, {tcu::SimdOp::no_op, 0, 0, 0}, false, true)},
              {"accumulators: ", "data for a write to accumulator 2"});
}

TEST(Hangs, MoreVectorsThanTheAccumulatorsHold) {
  tcu::Architecture a = small();
  a.local_depth = 64;
  a.accumulator_depth = 16;
  const tcu::InstructionLayout layout(a);
  // The accumulators' stream takes 60 mod 16 = 12 vectors.
  expect_hang(a, {make_mat_mul(layout, {0, 0}, {0, 0}, 60)},
              {"array: an accumulator write for its result", "decoder: instruction 0",
               "local memory port A"});
}

TEST(Hangs, MoreVectorsThanLocalMemoryHolds) {
  const tcu::Architecture a = small();
  const tcu::InstructionLayout layout(a);
  expect_hang(a,
              {make_data_move(layout, tcu::DataMoveKind::local_to_accumulator, {0, 0}, {0, 0}, 20)},
              {"accumulators: access (write) waits behind: data for a write to accumulator 4"});
  expect_hang(a, {make_data_move(layout, tcu::DataMoveKind::local_to_dram1, {0, 0}, {0, 0}, 20)},
              {"dram1: "});
  expect_hang(a, {make_data_move(layout, tcu::DataMoveKind::dram0_to_local, {0, 0}, {0, 0}, 20)},
              {"dram0: "});
}

TEST(Hangs, MoreVectorsThanAMemoryOfAnOddDepthHolds) {
  tcu::Architecture a = small();
  a.local_depth = 12;
  const tcu::InstructionLayout layout(a);
  expect_hang(a, {make_mat_mul(layout, {0, 0}, {0, 0}, 14)},
              {"array: an accumulator write for its result", "local memory port A"});
  expect_hang(a, {make_data_move(layout, tcu::DataMoveKind::local_to_dram0, {0, 0}, {0, 0}, 14)},
              {"decoder: instruction 0", "local memory port B", "dram0: "});
  expect_hang(a, {make_data_move(layout, tcu::DataMoveKind::dram1_to_local, {0, 0}, {0, 0}, 14)},
              {"decoder: instruction 0", "local memory port B"});
}

/// Both counters of the pair wrap around forever, so the hardware is busy and does not hang.
TEST(Hangs, CountersThatNeverEndRunIntoTheCycleLimit) {
  tcu::Architecture a = small();
  a.local_depth = 12;
  const tcu::InstructionLayout layout(a);
  const TcuRunResult result = run(a, {make_load_weights(layout, {0, 0}, 14)}, 3000);
  EXPECT_EQ(result.end, RunEnd::cycle_limit);
  EXPECT_EQ(result.cycles, 3000U);
  EXPECT_GT(result.array_loads, 2900U);
  ASSERT_FALSE(result.waits_for.empty());
  EXPECT_NE(result.waits_for[0].find("instruction 0 (opcode 0x3"), std::string::npos)
      << result.waits_for[0];
}

TEST(Hangs, LaterInstructionsAreNamedWhenTheyAreStuck) {
  const tcu::Architecture a = small();
  const tcu::InstructionLayout layout(a);
  std::vector<tcu::Instruction> program(5, tcu::make_no_op());
  program.push_back(simd(a, {tcu::SimdOp::move, 0, 0, 0}, false, true));
  program.push_back(
      make_data_move(layout, tcu::DataMoveKind::accumulator_to_local, {0, 0}, {0, 0}, 4));
  program.resize(40, tcu::make_no_op());
  expect_hang(a, program,
              {"decoder: instruction 6 (opcode 0x2, flags 0xc)", "local memory port A",
               "instruction stream: the decoder to accept"});
}

TEST(Hangs, RandomStallsAreNoHang) {
  RandomProgram program;
  const tcu::InstructionLayout layout(program.architecture);
  program.instructions.assign(
      20, make_data_move(layout, tcu::DataMoveKind::dram0_to_local, {0, 0}, {0, 0}, 40));
  TcuSimulationConfig config;
  config.stalls = StallGenerator(7, 97);
  config.feed_gap = 3000;
  EXPECT_EQ(record_run(program, config).result.end, RunEnd::finished);
}

}  // namespace
}  // namespace tactus
