// Lookup tables, shadow weights, the queue for transfers and the activation unit in files,
// instructions and text; results of lookups and activations.
#include <string>

#include <gtest/gtest.h>

#include "isa/tcu/activation.h"
#include "isa/tcu/arithmetic.h"
#include "isa/tcu/assembler.h"
#include "isa/tcu/disassembler.h"
#include "isa/tcu/instruction_kind.h"
#include "isa/tcu/lookup.h"
#include "tests/support/error_of.h"

namespace tactus::tcu {
namespace {

/// Returns pynqz1 with more registers and two tables.
Architecture with_tables(std::uint32_t registers = 3) {
  Architecture a;
  a.lookup_tables = {2, 256, 4};
  a.simd_registers_depth = registers;
  return a;
}

std::string file_with(const std::string& keys) {
  std::string text = to_json(Architecture(), -1);
  text.insert(text.size() - 1, ", " + keys);
  return text;
}

std::string problem_of(const std::string& keys) {
  return error_of([&] { (void)parse_architecture(file_with(keys), "a.tarch"); });
}

TEST(Extensions, AreReadWrittenAndLeftOut) {
  const Architecture a = parse_architecture(
      file_with(R"("lookup_tables": {"count": 2, "depth": 256, "key_binary_point": 4},
                   "shadow_weights": "on", "dma_queue": 4, "activation_unit": true)"),
      "a.tarch");
  EXPECT_EQ(a.lookup_tables, (LookupTables{2, 256, 4}));
  EXPECT_EQ(a.shadow_weights, ShadowWeights::on);
  EXPECT_EQ(a.dma_queue, 4U);
  EXPECT_TRUE(a.activation_unit);
  EXPECT_EQ(parse_architecture(to_json(a), "a.tarch"), a);
  // The file of a machine without extensions has no keys for them.
  for (const char* key : {"lookup_tables", "shadow_weights", "dma_queue", "activation_unit"}) {
    EXPECT_EQ(to_json(Architecture()).find(key), std::string::npos) << key;
  }
  EXPECT_EQ(parse_architecture(file_with(R"("shadow_weights": "off", "dma_queue": 0,
                                            "activation_unit": false)"),
                               "a.tarch"),
            Architecture());
}

TEST(Extensions, WrongValuesAreNamed) {
  const auto tables = [](const std::string& count, const std::string& depth,
                         const std::string& point) {
    return problem_of("\"lookup_tables\": {\"count\": " + count + ", \"depth\": " + depth +
                      ", \"key_binary_point\": " + point + "}");
  };
  EXPECT_EQ(tables("9", "256", "4"),
            "a.tarch:/lookup_tables/count: 9 is out of range; allowed 1..8");
  EXPECT_EQ(tables("1", "100", "4"),
            "a.tarch:/lookup_tables/depth: 100 is no power of two; allowed 2..65536, a power of "
            "two");
  EXPECT_EQ(tables("1", "256", "9"),
            "a.tarch:/lookup_tables/key_binary_point: 9 is more than the fraction bits of FP16BP8; "
            "allowed 0..8");
  EXPECT_EQ(tables("1", "512", "0"),
            "a.tarch:/lookup_tables/depth: 512 keys in steps of 2^-0 are more than FP16BP8 has; "
            "allowed 2..256, a power of two");
  EXPECT_NE(tables("1", "65536", "8").find("more than local memory and accumulators hold"),
            std::string::npos);
  EXPECT_EQ(problem_of("\"dma_queue\": 65"),
            "a.tarch:/dma_queue: 65 is out of range; allowed 0..64");
  EXPECT_NE(problem_of("\"shadow_weights\": \"yes\"").find("allowed \"off\", \"on\""),
            std::string::npos);
}

/// The operation's field is one bit wider; operand2 gets another byte if needed.
TEST(LookupEncoding, WidthsFollowFromTheTables) {
  const InstructionLayout rtl{Architecture()};
  EXPECT_EQ(rtl.simd_op, 4U);
  EXPECT_EQ(rtl.simd, 7U);
  const InstructionLayout layout(with_tables());
  EXPECT_EQ(layout.simd_op, 5U);
  EXPECT_EQ(layout.simd, 5U + 3 * 2);
  Architecture small = with_tables(7);
  small.local_depth = small.accumulator_depth = 256;
  // 5 + 9 bits for SIMD; addresses would need only 8
  EXPECT_EQ(InstructionLayout(small).operand2, 16U);
  small.lookup_tables = {};
  small.simd_registers_depth = 1;
  EXPECT_EQ(InstructionLayout(small).operand2, 8U);
}

TEST(LookupEncoding, TextAndInstructionsAreInverse) {
  Architecture a = with_tables();
  a.activation_unit = true;
  const InstructionLayout layout(a);
  const std::string text =
      "LoadLUT Local(8)@2 -> Table(1)\n"
      "SIMD R1 = Lookup(I), read Acc(3)\n"
      "SIMD R1 = Lookup(R2), write Acc(4), accumulate\n"
      "LoadActivation Local(100)@4\n"
      "DataMove.act Acc(5)@2 -> Local(8), 4\n";
  const std::vector<Instruction> program = assemble(a, text, "t.tasm");
  ASSERT_EQ(program.size(), 5U);
  std::string again;
  for (const Instruction& i : program) {
    again += disassemble(layout, i) + "\n";
    EXPECT_EQ(check(a, layout, i), "");
    std::vector<std::uint8_t> bytes(layout.instruction_bytes());
    encode(layout, i, bytes.data());
    EXPECT_EQ(decode(layout, bytes.data()), i);
  }
  EXPECT_EQ(again, text);
  EXPECT_EQ(program[0].opcode, 0x5);
  EXPECT_EQ(program[0].operand1, 1U);
  EXPECT_EQ(simd_fields(layout, program[1]).op, SimdOp::lookup);
  EXPECT_EQ(program[3].opcode, 0x7);
  EXPECT_EQ(program[4].flags, 0xE);
  EXPECT_EQ(kind_of(layout, program[0]), InstructionKind::load_lut);
  EXPECT_EQ(vector_count(a, layout, program[0]), 32U);
  EXPECT_EQ(kind_of(layout, program[4]), InstructionKind::accumulator_to_local_activated);
  // On a machine without extensions the same bits are undefined.
  const InstructionLayout rtl{Architecture()};
  EXPECT_EQ(kind_of(rtl, program[0]), InstructionKind::undefined);
  EXPECT_EQ(kind_of(rtl, program[3]), InstructionKind::undefined);
  EXPECT_EQ(kind_of(rtl, program[4]), InstructionKind::undefined);
}

TEST(LookupEncoding, UndefinedCasesAreRefused) {
  const Architecture a = with_tables();
  const InstructionLayout layout(a);
  const auto lookup_to = [&](unsigned dest) {
    return check(a, layout, make_simd(layout, {SimdOp::lookup, 0, 0, dest}, 0, 0, true, false));
  };
  EXPECT_EQ(lookup_to(1), "");
  EXPECT_EQ(lookup_to(0),
            "SIMD Lookup gives the difference and 2 table values to consecutive registers from O "
            "on, and there are 3 registers; allowed R1..R1 as destination");
  EXPECT_EQ(lookup_to(2),
            "SIMD Lookup gives the difference and 2 table values to consecutive registers from R2 "
            "on, and there are 3 registers; allowed R1..R1 as destination");
  EXPECT_EQ(
      check(a, layout, make_simd(layout, {static_cast<SimdOp>(0x11), 0, 0, 1}, 0, 0, true, false)),
      "SIMD operation 0x11 is undefined; allowed 0x0..0x10");
  EXPECT_EQ(check(a, layout, make_load_lut(layout, {0, 0}, 2)),
            "there is no lookup table 2; allowed 0..1");
  EXPECT_NE(check(a, layout, make_load_lut(layout, {8190, 0}, 0)).find("run past the end"),
            std::string::npos);
  Instruction flagged = make_load_lut(layout, {0, 0}, 0);
  flagged.flags = 1;
  EXPECT_EQ(check(a, layout, flagged),
            "LoadLUT flags 0x1 set bits without meaning; allowed 0x0..0x0");
  const Architecture rtl;
  EXPECT_EQ(check(rtl, InstructionLayout(rtl), make_load_lut(InstructionLayout(rtl), {0, 0}, 0)),
            "opcode 0x5 is undefined; allowed 0x0..0x4 and 0xf");
  EXPECT_NE(error_of([&] {
              (void)assemble(rtl, "LoadLUT Local(0) -> Table(0)", "t");
            }).find("needs a lookup table, and this architecture has none"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              (void)assemble(rtl, "SIMD R1 = Lookup(I), read Acc(0)", "t");
            }).find("needs a lookup table, and this architecture has none"),
            std::string::npos);
  EXPECT_NE(error_of([&] {
              (void)assemble(rtl, "DataMove.act Acc(0) -> Local(0), 1", "t");
            }).find("unknown modifier"),
            std::string::npos);
}

TEST(Lookup, FindsTheNearestKey) {
  const LookupTables tables{1, 256, 4};  // keys -8, -7.9375 ... 7.9375, i.e. every 16 mantissas
  const auto find = [&](std::int64_t argument) {
    const LookupKey key = lookup_key(DataType::fp16bp8, tables, argument);
    return std::pair<std::uint32_t, std::int64_t>(key.entry, key.difference);
  };
  using Found = std::pair<std::uint32_t, std::int64_t>;
  EXPECT_EQ(find(0), Found(128, 0));
  EXPECT_EQ(find(7), Found(128, 7));
  EXPECT_EQ(find(8), Found(129, -8));  // a tie goes to the upper key
  EXPECT_EQ(find(-8), Found(128, -8));
  EXPECT_EQ(find(-9), Found(127, 7));
  EXPECT_EQ(find(-2048), Found(0, 0));
  EXPECT_EQ(find(-32768), Found(0, -32768 + 2048));
  EXPECT_EQ(find(32767), Found(255, 32767 - 127 * 16));
}

TEST(Activation, IsTheFormula) {
  const DataType type = DataType::fp16bp8;
  const ActivationParameters neutral = neutral_activation(type);
  for (const std::int64_t x : {-32768, -1, 0, 1, 32767}) EXPECT_EQ(activate(type, neutral, x), x);
  const ActivationParameters relu6{256, 0, 0, 6 * 256};
  EXPECT_EQ(activate(type, relu6, -300), 0);
  EXPECT_EQ(activate(type, relu6, 300), 300);
  EXPECT_EQ(activate(type, relu6, 7 * 256), 6 * 256);
  // the function 2 x - 1, with slope 0.1015625 below 0
  const ActivationParameters leaky{512, -256, 26, 32767};
  EXPECT_EQ(activate(type, leaky, 256), 256);
  EXPECT_EQ(activate(type, leaky, -256), -78);  // -3 * 0.1015625 = -0.3046875
}

}  // namespace
}  // namespace tactus::tcu
