// The smallest complete golden program: an XOR perceptron on a 2x2 array, byte for byte
// (toolchain spec section 0.2).
#include <string>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "firmware/compiler/targets/tcu/program_builder.h"
#include "isa/tcu/instruction.h"

namespace tactus::compiler {
namespace {

tcu::Architecture two_by_two() {
  tcu::Architecture a;
  a.array_size = 2;
  a.dram0_depth = a.dram1_depth = a.local_depth = a.accumulator_depth = 256;
  a.stride0_depth = a.stride1_depth = 1;
  return a;
}

std::string hex(const std::vector<std::uint8_t>& bytes) {
  std::string out;
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    if (i > 0 && i % 4 == 0) out += ' ';
    out += fmt::format("{:02x}", bytes[i]);
  }
  return out;
}

Addresses constant(MemoryManager& memory, const std::string& name, const std::vector<float>& raw) {
  return memory
      .constant(name, {raw.size()}, raw.size() / 2,
                [&] {
                  std::vector<float> values;
                  for (const float r : raw) values.push_back(r / 256);
                  return values;
                })
      .addresses;
}

/// Adds a dense layer that reads `from` and saves its result as `to`.
void dense(ProgramBuilder& builder, const std::string& name, const std::string& from,
           const std::string& to, const std::vector<float>& bias, const std::vector<float>& weights,
           bool relu, const Consumers& consumers) {
  MemoryManager& memory = builder.memory();
  hir::Layer layer{name, {}};
  hir::MatMul m;
  m.input_blocks = m.output_blocks = 1;
  m.inputs = memory.consume(from, name).addresses;
  m.bias = constant(memory, name + ".b", bias);
  m.weights = constant(memory, name + ".w", weights);
  m.outputs = memory.allocate_temp(1);
  m.true_macs = 4;
  Addresses result = m.outputs;
  layer.add(std::move(m));
  if (relu) {
    const Addresses rectified = memory.allocate_temp(1);
    layer.add(hir::Kind::relu, {result}, rectified);
    result = rectified;
  }
  const Object& out = memory.allocate_variable(to, {2}, 1, consumers);
  layer.add(hir::Kind::save, {result}, out.addresses);
  builder.add_layer(layer);
}

TEST(Xor, ProgramConstantsAndAddresses) {
  ProgramBuilder builder(two_by_two(), {});
  ASSERT_EQ(builder.passes(), 1U);
  builder.begin_pass();
  builder.memory().allocate_input("x", {2}, 1, {{"hidden"}, false});
  builder.add_layer({"inputs", {}});
  dense(builder, "hidden", "x", "h", {0, -29}, {-210, 233, 210, -204}, true, {{"out"}, false});
  dense(builder, "out", "h", "y", {1, 0}, {309, 0, 318, 0}, false, {{}, true});
  builder.add_outputs({"y"});
  const CompiledProgram program = builder.finish();
  EXPECT_EQ(hex(program.program),
            "00000222 03000020 00020030 03000010 00000940 01007a43 0401002c 04010021 "
            "00030222 03010020 00020030 03000010 0400002c 04000021");
  const std::vector<std::int16_t> raw = {0, -29, -210, 233, 210, -204, 1, 0, 309, 0, 318, 0};
  ASSERT_EQ(program.constants.size(), raw.size() * 2);
  for (std::size_t i = 0; i < raw.size(); ++i) {
    const int word = program.constants[2 * i] | program.constants[2 * i + 1] << 8;
    EXPECT_EQ(static_cast<std::int16_t>(word), raw[i]) << "lane " << i;
  }
  EXPECT_EQ(program.constants_count, 6U);
  EXPECT_EQ(program.inputs, (std::vector<tcu::TensorEntry>{{"x", 0, 1}}));
  EXPECT_EQ(program.outputs, (std::vector<tcu::TensorEntry>{{"y", 0, 1}}));
  ASSERT_EQ(program.layers.size(), 2U);
  const LayerStatistics& hidden = program.layers[0];
  EXPECT_EQ(hidden.instructions, 8U);
  EXPECT_EQ(hidden.by_opcode[static_cast<std::size_t>(tcu::Opcode::data_move)], 4U);
  EXPECT_EQ(hidden.by_opcode[static_cast<std::size_t>(tcu::Opcode::load_weights)], 1U);
  EXPECT_EQ(hidden.by_opcode[static_cast<std::size_t>(tcu::Opcode::mat_mul)], 1U);
  EXPECT_EQ(hidden.by_opcode[static_cast<std::size_t>(tcu::Opcode::simd)], 2U);
  EXPECT_EQ(hidden.true_macs, 4U);
  EXPECT_EQ(program.layers[1].first_instruction, 8U);
}

}  // namespace
}  // namespace tactus::compiler
