// The exact texts of the assembler's messages, and the assembler's limits.
#include <algorithm>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "isa/tcu/assembler.h"
#include "tests/support/error_of.h"
#include "tests/unit/isa/sample_architectures.h"

namespace tactus::tcu {
namespace {

std::string errors_of(const std::string& text, const Architecture& architecture = pynqz1(),
                      AssemblerChecks checks = AssemblerChecks::encoding) {
  return error_of([&] { (void)assemble(architecture, text, "p.tasm", checks); });
}

struct Wrong {
  std::string text;
  std::string error;
};

TEST(AssemblerErrors, Lexical) {
  const std::vector<Wrong> table = {
      {"NoOp $",
       "p.tasm:1:6: unexpected character \"$\"; allowed names, numbers and ( ) . , = @ -> "
       "+ - * / % << >>"},
      {"NoOp \xC3\xA9",
       "p.tasm:1:6: unexpected character 0xc3; allowed names, numbers and ( ) . , = "
       "@ -> + - * / % << >>"},
      {"LoadWeights.zeroes 12a",
       "p.tasm:1:20: \"12a\" is not a number; allowed decimal, 0x "
       "hexadecimal or 0b binary digits, with _ between them"},
      {"LoadWeights.zeroes 0x", "p.tasm:1:20: \"0x\" has no digits"},
      {"LoadWeights.zeroes 9223372036854775808",
       "p.tasm:1:20: the number 9223372036854775808 is too large; allowed 0..9223372036854775807"},
  };
  for (const Wrong& wrong : table) EXPECT_EQ(errors_of(wrong.text), wrong.error);
}

TEST(AssemblerErrors, Statements) {
  const std::vector<Wrong> table = {
      {"MatMull Local(0) -> Acc(0), 1",
       "p.tasm:1:1: unknown instruction \"MatMull\"; did you mean \"MatMul\"?"},
      {"Jump 4",
       "p.tasm:1:1: unknown instruction \"Jump\"; allowed NoOp, MatMul, DataMove, LoadWeights, "
       "SIMD, Configure, Raw"},
      {"  = 4", "p.tasm:1:3: expected an instruction, found \"=\""},
      {"NoOp 1", "p.tasm:1:6: expected the end of the line, found \"1\""},
      {"MatMul Local(0), Acc(0), 1", "p.tasm:1:16: expected \"->\", found \",\""},
      {"MatMul Locale(0) -> Acc(0), 1", "p.tasm:1:8: expected Local(address), found \"Locale\""},
      {"MatMul Local(0) -> Acc(0)", "p.tasm:1:26: expected \",\", found the end of the line"},
      {"MatMul.zero Acc(0), 1", "p.tasm:1:8: unknown modifier \"zero\"; allowed .acc and .zeroes"},
      {"DataMove.zeroes Acc(0), 1", "p.tasm:1:10: unknown modifier \"zeroes\"; allowed .acc"},
      {"LoadWeights.acc 1", "p.tasm:1:13: unknown modifier \"acc\"; allowed .zeroes"},
      {"DataMove DRAM0(0) -> Acc(0), 1",
       "p.tasm:1:10: there is no DataMove from DRAM0 to Acc; allowed Local -> DRAM0, DRAM1 or Acc, "
       "and "
       "DRAM0, DRAM1 or Acc -> Local"},
      {"DataMove.acc Acc(0) -> Local(0), 1",
       "p.tasm:1:14: there is no DataMove from Acc to Local; allowed Local -> Acc with .acc"},
      {"DataMove Tape(0) -> Local(0), 1",
       "p.tasm:1:10: expected Local(address) or Acc(address) or DRAM0(address) or DRAM1(address), "
       "found \"Tape\""},
      {"MatMul Local(8192) -> Acc(0), 1",
       "p.tasm:1:14: an address cannot be 8192; allowed 0..8191"},
      {"MatMul Local(0-1) -> Acc(0), 1", "p.tasm:1:14: an address cannot be -1; allowed 0..8191"},
      {"MatMul Local(0)@3 -> Acc(0), 1",
       "p.tasm:1:16: the step cannot be 3; allowed powers of two, 1..128"},
      {"MatMul Local(0)@256 -> Acc(0), 1",
       "p.tasm:1:16: the step cannot be 256; allowed powers of two, 1..128"},
      {"MatMul Local(0) -> Acc(0), 0",
       "p.tasm:1:28: the number of vectors cannot be 0; allowed 1..65536"},
      {"Raw 12", "p.tasm:1:5: expected a hexadecimal number of 8 bytes (0x...), found \"12\""},
      {"Raw 0x1_0000_0000_0000_0000",
       "p.tasm:1:5: 0x1_0000_0000_0000_0000 is too long; allowed 16 hexadecimal digits"},
      {"Raw 0x1g", "p.tasm:1:5: \"0x1g\" is not hexadecimal"},
  };
  for (const Wrong& wrong : table) EXPECT_EQ(errors_of(wrong.text), wrong.error);
}

TEST(AssemblerErrors, SimdAndConfigure) {
  const std::vector<Wrong> table = {
      {"SIMD O = Maxx(I, R1)",
       "p.tasm:1:10: unknown SIMD operation \"Maxx\"; did you mean \"Max\"?"},
      {"SIMD O = Max(I)", "p.tasm:1:10: Max has 1 source; allowed 2"},
      {"SIMD O = Not()",
       "p.tasm:1:10: Not has 0 sources; allowed 1, or 2 to give both source fields"},
      {"SIMD O = Zero(I)",
       "p.tasm:1:10: Zero has 1 source; allowed 0, or 2 to give both source fields"},
      {"SIMD O = Max(I, R1, I)", "p.tasm:1:19: expected \")\", found \",\""},
      {"SIMD O = Max(I, R2)", "p.tasm:1:17: \"R2\" is not a source; allowed I or R1..R1"},
      {"SIMD O = Max(I, O)", "p.tasm:1:17: \"O\" is not a source; allowed I or R1..R1"},
      {"SIMD I = Move(R1)", "p.tasm:1:6: \"I\" is not a destination; allowed O or R1..R1"},
      {"SIMD R0 = Move(R1)", "p.tasm:1:6: \"R0\" is not a destination; allowed O or R1..R1"},
      {"SIMD R99999999999999999999 = Move(R1)",
       "p.tasm:1:6: \"R99999999999999999999\" is not a destination; allowed O or R1..R1"},
      {"SIMD O = Move(I), reads Acc(1)",
       "p.tasm:1:19: unexpected \"reads\"; allowed read, write and accumulate, each once"},
      {"SIMD O = Move(I), read Acc(1), read Acc(1)",
       "p.tasm:1:32: unexpected \"read\"; allowed read, write and accumulate, each once"},
      {"SIMD O = Move(I), read Acc(1)@2",
       "p.tasm:1:24: SIMD handles one vector; allowed Acc(address) without a step"},
      {"SIMD O = NoOp(), read Acc(1)",
       "p.tasm:1:29: SIMD NoOp with read or write bypasses the ALU and means something else; "
       "allowed Move, or Raw"},
      {"SIMD O = Move(I), read Acc(0), write Acc(8192)",
       "p.tasm:1:1: accumulator write address 8192 does not fit its field; allowed 0..8191"},
      {"Configure Dram0Ofset = 1",
       "p.tasm:1:11: unknown configuration register \"Dram0Ofset\"; did you mean \"Dram0Offset\"?"},
      {"Configure 16 = 1", "p.tasm:1:11: a configuration register cannot be 16; allowed 0..15"},
      {"Configure 1 = 1 << 28",
       "p.tasm:1:15: a configuration value cannot be 268435456; allowed 0..268435455"},
      {"Configure Timeout = 70000",
       "p.tasm:1:21: the value of Timeout cannot be 70000; allowed 0..65535"},
      {"Configure Dram0Cache = 16",
       "p.tasm:1:24: the value of Dram0Cache cannot be 16; allowed 0..15"},
  };
  for (const Wrong& wrong : table) EXPECT_EQ(errors_of(wrong.text), wrong.error);
}

TEST(AssemblerErrors, Expressions) {
  const std::vector<Wrong> table = {
      {"Configure 0 = 1 / (2 - 2)", "p.tasm:1:17: division by zero"},
      {"Configure 0 = 9223372036854775807 + 1",
       "p.tasm:1:35: the result of \"+\" is too large; allowed -2^63..2^63-1"},
      {"Configure 0 = (0 - 9223372036854775807 - 1) / -1",
       "p.tasm:1:45: the result of \"/\" is too large; allowed -2^63..2^63-1"},
      {"Configure 0 = -(0 - 9223372036854775807 - 1)",
       "p.tasm:1:15: the result of \"-\" is too large; allowed -2^63..2^63-1"},
      {"Configure 0 = 1 << 63", "p.tasm:1:17: cannot shift by 63; allowed 0..62"},
      {"Configure 0 = 1 << -1", "p.tasm:1:17: cannot shift by -1; allowed 0..62"},
      {"Configure 0 = ARAY_SIZE",
       "p.tasm:1:15: unknown name \"ARAY_SIZE\"; did you mean \"ARRAY_SIZE\"?"},
      {"Configure 0 = zzz",
       "p.tasm:1:15: unknown name \"zzz\"; allowed names defined before with .equ or .repeat"},
      {"Configure 0 = (1", "p.tasm:1:17: expected \")\", found the end of the line"},
      {"Configure 0 = 1 +",
       "p.tasm:1:18: expected a number, a name or \"(\", found the end of the line"},
  };
  for (const Wrong& wrong : table) EXPECT_EQ(errors_of(wrong.text), wrong.error);
}

TEST(AssemblerErrors, Directives) {
  const std::vector<Wrong> table = {
      {".end", "p.tasm:1:1: .end without .repeat"},
      {"NoOp\n.repeat 2\nNoOp", "p.tasm:2:1: the block has no .end"},
      {".repeat -1\n.end", "p.tasm:1:9: a block cannot be repeated -1 times; allowed 0 or more"},
      {".repeat 2 ARRAY_SIZE\n.end",
       "p.tasm:1:11: \"ARRAY_SIZE\" is predefined from the architecture; allowed any other name"},
      {".repeat 2 i\n.repeat 2 i\n.end\n.end",
       "p.tasm:2:11: \"i\" is already in use; allowed a new name for a counter"},
      {".repeat 2 i\n.equ i 3\n.end",
       "p.tasm:2:6: \"i\" is already in use; allowed a new name for a counter"},
      {".equ local_depth 3",
       "p.tasm:1:6: \"local_depth\" is predefined from the architecture; allowed any other name"},
      {".equ 3 3", "p.tasm:1:6: expected a name, found \"3\""},
      {".reapeat 3", "p.tasm:1:2: unknown directive \"reapeat\"; did you mean \"repeat\"?"},
      {".word 3", "p.tasm:1:2: unknown directive \"word\"; allowed .equ, .repeat and .end"},
  };
  for (const Wrong& wrong : table) EXPECT_EQ(errors_of(wrong.text), wrong.error);
}

TEST(AssemblerErrors, OneMistakeIsOneMessage) {
  EXPECT_EQ(errors_of(".equ A 1 / 0\n.equ B A + 1\nConfigure 0 = B\n.repeat A i\n"
                      "Configure 0 = i\n.end\n.repeat 5 j\nJunk\n.end\nConfigure 0 = A"),
            "p.tasm:1:10: division by zero\n"
            "p.tasm:8:1: unknown instruction \"Junk\"; allowed NoOp, MatMul, DataMove, "
            "LoadWeights, SIMD, Configure, Raw");
  EXPECT_EQ(errors_of(".repeat 2 + i\nConfigure 0 = i\n.end"),
            "p.tasm:1:13: unknown name \"i\"; allowed names defined before with .equ or .repeat");
}

TEST(AssemblerErrors, AreCollectedUpToTwenty) {
  std::string text;
  for (int line = 0; line < 25; ++line) text += "NoOp,\n";
  const std::string errors = errors_of(text);
  EXPECT_EQ(std::count(errors.begin(), errors.end(), '\n'), 20);
  EXPECT_EQ(errors.substr(errors.rfind('\n') + 1), "p.tasm: and 5 more");
}

TEST(AssemblerErrors, StrictChecksNameTheLine) {
  const std::string text = "NoOp\n  MatMul Local(0) -> Acc(2048), 1\nRaw 0x7000000000000000";
  EXPECT_EQ(errors_of(text, pynqz1(), AssemblerChecks::strict),
            "p.tasm:2:3: accumulator address 2048 is outside the accumulators; allowed 0..2047");
  EXPECT_EQ(errors_of(text), "no error");
}

TEST(AssemblerLimits, NestedParentheses) {
  EXPECT_EQ(errors_of("Configure 0 = " + std::string(64, '(') + "7" + std::string(64, ')')),
            "no error");
  EXPECT_EQ(errors_of("Configure 0 = " + std::string(65, '(') + "7"),
            "p.tasm:1:79: the expression is nested too deeply; allowed 64 levels");
  EXPECT_EQ(errors_of("Configure 0 = " + std::string(1000000, '(')),
            "p.tasm:1:79: the expression is nested too deeply; allowed 64 levels");
  EXPECT_EQ(errors_of("Configure 0 = " + std::string(1000000, '-')),
            "p.tasm:1:79: the expression is nested too deeply; allowed 64 levels");
}

TEST(AssemblerLimits, NestedBlocks) {
  const auto nested = [](int depth) {
    std::string text;
    for (int level = 0; level < depth; ++level) text += ".repeat 1\n";
    text += "NoOp\n";
    for (int level = 0; level < depth; ++level) text += ".end\n";
    return text;
  };
  EXPECT_EQ(errors_of(nested(16)), "no error");
  EXPECT_EQ(errors_of(nested(17)), "p.tasm:17:9: blocks are nested too deeply; allowed 16 levels");
}

TEST(AssemblerLimits, ABlockThatExpandsToTooManyLines) {
  EXPECT_EQ(errors_of("NoOp\n.repeat 1 << 62\n.end\nNoOp"),
            "p.tasm:2:1: the block expands to more than 16777216 lines; allowed 16777216 in all "
            "blocks");
}

}  // namespace
}  // namespace tactus::tcu
