// Predicted cycles are the sums of their parts; Pareto fronts of points.
#include "firmware/codesign/prediction.h"

#include <gtest/gtest.h>

#include "isa/support/error.h"

namespace tactus::codesign {
namespace {

tcu::Instruction make(tcu::Opcode opcode, unsigned flags, std::uint64_t operand1,
                      std::uint64_t operand2) {
  tcu::Instruction instruction;
  instruction.opcode = static_cast<std::uint8_t>(opcode);
  instruction.flags = static_cast<std::uint8_t>(flags);
  instruction.operand1 = operand1;
  instruction.operand2 = operand2;
  return instruction;
}

/// Two loads from DRAM0 (8 and 4 vectors), weights of 9 rows, two products of 8 vectors, a SIMD
/// instruction, a move of 8 vectors out of the accumulators, a store of 8 vectors to DRAM0.
std::vector<tcu::Instruction> program() {
  using tcu::Opcode;
  return {make(Opcode::data_move, 0, 0, 7),    make(Opcode::data_move, 0, 0, 3),
          make(Opcode::load_weights, 0, 8, 0), make(Opcode::mat_mul, 0, 0, 7),
          make(Opcode::mat_mul, 0, 0, 7),      make(Opcode::simd, 0, 0, 0),
          make(Opcode::data_move, 0xC, 0, 7),  make(Opcode::data_move, 1, 0, 7)};
}

std::vector<compiler::LayerInfo> kernels(std::uint64_t split) {
  std::vector<compiler::LayerInfo> result(2);
  result[0].name = "a";
  result[0].instructions = split;
  result[1].name = "b";
  result[1].first_instruction = split;
  result[1].instructions = program().size() - split;
  return result;
}

TEST(Prediction, IsTheSumOfItsPaths) {
  tcu::Architecture architecture;  // N = 8, 16 bytes per vector
  const Prediction one = predict(architecture, program(), kernels(4), {8, 20, 1});
  ASSERT_EQ(one.kernels.size(), 2U);
  const Paths& a = one.kernels[0].paths;
  EXPECT_EQ(a.dma0, (20 + 8 * 16 / 8) + (20 + 4 * 16 / 8));
  EXPECT_EQ(a.weights, 9U);
  EXPECT_EQ(a.array, 8U + 8);  // after a load of weights the product also fills the array
  EXPECT_EQ(one.kernels[0].cycles, a.dma0 + a.weights + a.array);
  const Paths& b = one.kernels[1].paths;
  EXPECT_EQ(b.array, 8U);  // directly after another product
  EXPECT_EQ(b.simd, 1U);
  EXPECT_EQ(b.moves, 8U);
  EXPECT_EQ(b.dma0, 20U + 16);
  EXPECT_EQ(one.cycles, one.kernels[0].cycles + one.kernels[1].cycles);
}

TEST(Prediction, TilesInFlightOverlapInThePrediction) {
  tcu::Architecture architecture;
  const Prediction two = predict(architecture, program(), kernels(4), {8, 20, 2});
  EXPECT_EQ(two.kernels[0].cycles, (36U + 28) + 20 + 2 * 8);
  EXPECT_EQ(two.kernels[1].cycles, 36U + 20 + 2 * 8);
  // A number of bytes that is not a multiple of the bytes per cycle is rounded up.
  const Prediction odd = predict(architecture, program(), kernels(4), {48, 1, 1});
  EXPECT_EQ(odd.kernels[0].paths.dma0, (1U + 3) + (1 + 2));
  architecture.number_of_threads = 2;
  EXPECT_THROW((void)predict(architecture, program(), kernels(4), {}), UserError);
}

/// Tables and activation parameters use the path between local memory and accumulators.
TEST(Prediction, CountsTheInstructionsOfExtensions) {
  tcu::Architecture architecture;  // N = 8
  architecture.lookup_tables = {2, 100, 4};
  architecture.simd_registers_depth = 3;
  architecture.activation_unit = true;
  const tcu::InstructionLayout layout(architecture);
  const std::vector<tcu::Instruction> extensions{
      tcu::make_load_lut(layout, {0, 0}, 1), tcu::make_load_activation(layout, {0, 0}),
      tcu::make_data_move(layout, tcu::DataMoveKind::accumulator_to_local_activated, {0, 0}, {0, 0},
                          6)};
  std::vector<compiler::LayerInfo> one(1);
  one[0].instructions = extensions.size();
  const Prediction predicted = predict(architecture, extensions, one, {8, 20, 1});
  EXPECT_EQ(predicted.kernels[0].paths.moves, (100U + 7) / 8 + 4 + 6);
  EXPECT_EQ(predicted.cycles, 13U + 4 + 6);
}

}  // namespace
}  // namespace tactus::codesign
