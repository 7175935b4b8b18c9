#include "isa/tcu/assembler.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "isa/support/error.h"
#include "isa/tcu/disassembler.h"
#include "tests/unit/isa/sample_architectures.h"

namespace tactus::tcu {
namespace {

std::string assembled(const std::string& text, const Architecture& architecture = pynqz1()) {
  return hex(assemble_bytes(architecture, text, "p.tasm"));
}

std::string text_of(const std::vector<std::uint8_t>& bytes,
                    const Architecture& architecture = pynqz1()) {
  const InstructionLayout layout(architecture);
  return disassemble(layout, decode(layout, bytes.data()));
}

// ---- text form ---------------------------------------------------------------------------------

struct Example {
  std::string text;
  std::string bytes;
};

// The worked examples of toolchain spec section 2 and their canonical text.
TEST(Assembler, WorkedExamplesBothWays) {
  const std::vector<Example> table = {
      {"NoOp", "0000000000000000"},
      {"DataMove DRAM1(256)@4 -> Local(16), 9", "1000000120080022"},
      {"LoadWeights Local(16), 8", "1000070000000030"},
      {"LoadWeights.zeroes 1", "0000000000000031"},
      {"MatMul.acc Local(100)@2 -> Acc(5), 32", "64200500001f0011"},
      {"SIMD R1 = Zero()", "0000000000090040"},
      {"SIMD O = Max(I, R1), read Acc(3), write Acc(7)", "07000300007a0043"},
      {"DataMove Acc(7) -> Local(200), 10", "c80007000009002c"},
      {"DataMove Local(200) -> DRAM0(1000), 10", "c800e80300090021"},
      {"Configure Dram1Offset = 0x1234", "44230100000000f0"},
      {"Configure 4 = 0x11234", "44231100000000f0"},
  };
  for (const Example& example : table) {
    EXPECT_EQ(assembled(example.text), example.bytes) << example.text;
    EXPECT_EQ(disassemble(InstructionLayout(pynqz1()), assemble(pynqz1(), example.text, "t")[0]),
              example.text);
  }
}

// Toolchain spec section 0.2.
TEST(Assembler, XorProgram) {
  Architecture a = make_architecture(2, 256, 256, 256, 256);
  a.stride0_depth = a.stride1_depth = 1;
  const std::vector<std::uint8_t> program = {
      0x00, 0x00, 0x02, 0x22, 0x03, 0x00, 0x00, 0x20, 0x00, 0x02, 0x00, 0x30, 0x03, 0x00,
      0x00, 0x10, 0x00, 0x00, 0x09, 0x40, 0x01, 0x00, 0x7a, 0x43, 0x04, 0x01, 0x00, 0x2c,
      0x04, 0x01, 0x00, 0x21, 0x00, 0x03, 0x02, 0x22, 0x03, 0x01, 0x00, 0x20, 0x00, 0x02,
      0x00, 0x30, 0x03, 0x00, 0x00, 0x10, 0x04, 0x00, 0x00, 0x2c, 0x04, 0x00, 0x00, 0x21};
  const std::string listing = disassemble_program(a, program, false);
  EXPECT_EQ(listing,
            "# 14 instructions of 4 bytes\n"
            "# array 2x2 FP16BP8, depths: local 256, accumulators 256, DRAM0 256, DRAM1 256\n"
            "DataMove DRAM1(0) -> Local(0), 3\n"
            "DataMove DRAM0(0) -> Local(3), 1\n"
            "LoadWeights Local(0), 3\n"
            "MatMul Local(3) -> Acc(0), 1\n"
            "SIMD R1 = Zero()\n"
            "SIMD O = Max(I, R1), read Acc(0), write Acc(1)\n"
            "DataMove Acc(1) -> Local(4), 1\n"
            "DataMove Local(4) -> DRAM0(1), 1\n"
            "DataMove DRAM1(3) -> Local(0), 3\n"
            "DataMove DRAM0(1) -> Local(3), 1\n"
            "LoadWeights Local(0), 3\n"
            "MatMul Local(3) -> Acc(0), 1\n"
            "DataMove Acc(0) -> Local(4), 1\n"
            "DataMove Local(4) -> DRAM0(0), 1\n");
  EXPECT_EQ(assemble_bytes(a, listing, "xor"), program);
}

TEST(Assembler, EveryDataMove) {
  const std::vector<std::string> lines = {
      "DataMove DRAM0(1) -> Local(2), 3",   "DataMove Local(2) -> DRAM0(1), 3",
      "DataMove DRAM1(1) -> Local(2), 3",   "DataMove Local(2) -> DRAM1(1), 3",
      "DataMove Acc(1) -> Local(2), 3",     "DataMove Local(2) -> Acc(1), 3",
      "DataMove.acc Local(2) -> Acc(1), 3",
  };
  const std::vector<std::string> kinds = {"0", "1", "2", "3", "c", "d", "f"};
  for (std::size_t k = 0; k < lines.size(); ++k) {
    EXPECT_EQ(assembled(lines[k]),
              "02000100000200"
              "2" +
                  kinds[k]);
    EXPECT_EQ(text_of(assemble_bytes(pynqz1(), lines[k], "t")), lines[k]);
  }
}

TEST(Assembler, MatMulFlags) {
  EXPECT_EQ(assembled("MatMul Local(1) -> Acc(2), 1"), "0100020000000010");
  EXPECT_EQ(assembled("MatMul.acc Local(1) -> Acc(2), 1"), "0100020000000011");
  EXPECT_EQ(assembled("MatMul.zeroes Acc(2)@8, 1"), "0000020030000012");
  EXPECT_EQ(assembled("MatMul.acc.zeroes Acc(2), 1"), "0000020000000013");
  EXPECT_EQ(assembled("MatMul.zeroes.acc Acc(2), 1"), "0000020000000013");
}

TEST(Assembler, SimdSourcesOfUnaryOperations) {
  // A single source fills both fields; otherwise the hardware would wait for an input vector.
  EXPECT_EQ(assembled("SIMD O = Not(R1), write Acc(0)"),
            assembled("SIMD O = Not(R1, R1), write Acc(0)"));
  EXPECT_NE(assembled("SIMD O = Not(R1), read Acc(0)"),
            assembled("SIMD O = Not(R1, I), read Acc(0)"));
  EXPECT_EQ(text_of(assemble_bytes(pynqz1(), "SIMD O = Not(R1, I), read Acc(0)", "t")),
            "SIMD O = Not(R1, I), read Acc(0)");
  EXPECT_EQ(text_of(assemble_bytes(pynqz1(), "SIMD R1 = Zero(I, R1), accumulate", "t")),
            "SIMD R1 = Zero(I, R1), accumulate");
}

TEST(Assembler, SimdPartsInAnyOrder) {
  EXPECT_EQ(assembled("simd o = add(i, r1), accumulate, write acc(7), read ACC(3)"),
            assembled("SIMD O = Add(I, R1), read Acc(3), write Acc(7), accumulate"));
}

TEST(Assembler, ConfigureNamesAndNumbers) {
  EXPECT_EQ(assembled("Configure timeout = 100"), assembled("Configure 8 = 100"));
  EXPECT_EQ(assembled("Configure 7 = 0xFFFFFFF"), "f7ffffff000000f0");
  EXPECT_EQ(text_of(assemble_bytes(pynqz1(), "Configure 7 = 1", "t")), "Configure 7 = 0x1");
}

TEST(Assembler, RawIsTheWholeInstruction) {
  EXPECT_EQ(assembled("Raw 0x70_00_00_00_00_00_00_01"), "0100000000000070");
  EXPECT_EQ(assembled("Raw 0x1"), "0100000000000000");
  EXPECT_EQ(assembled("Raw 0x000000f000000000000123"), "23010000000000f0");
}

TEST(Disassembler, PatternsWithoutCanonicalTextAreRaw) {
  const std::vector<std::string> lines = {
      "Raw 0x0000000000000001",  // NoOp with operands
      "Raw 0x0100000000000000",  // NoOp with flags
      "Raw 0x7000000000000000",  // undefined opcode
      "Raw 0x2400000000000000",  // undefined kind
      "Raw 0x1400000000000000",  // MatMul with an unused flag
      "Raw 0x1200000000000001",  // MatMul zeroes with a local address
      "Raw 0x1000008000000000",  // MatMul with padding set
      "Raw 0x3000010000000000",  // LoadWeights with operand2
      "Raw 0x3100000000000001",  // LoadWeights zeroes with an address
      "Raw 0x4000880000000000",  // SIMD with bits above the sub-instruction
      "Raw 0x4000090000000001",  // SIMD without write, with a write address
      "Raw 0x4100000000000000",  // SIMD NoOp with read
      "Raw 0x4800090000000000",  // SIMD with an unused flag
      "Raw 0xf100000000000000",  // Configure with a flag
      "Raw 0xf000000100000000",  // Configure with bits above its 32
  };
  for (const std::string& line : lines) {
    EXPECT_EQ(text_of(assemble_bytes(pynqz1(), line, "t")), line);
  }
}

TEST(Disassembler, AnnotatesTheListing) {
  const std::string text =
      "MatMul Local(8190) -> Acc(0), 2\n"
      "MatMul Local(0) -> Acc(2047), 2\n"
      "Raw 0x4200090000050007\n"
      "Raw 0x7000000000000000\n";
  EXPECT_EQ(disassemble_program(pynqz1(), assemble_bytes(pynqz1(), text, "t")),
            "# 4 instructions of 8 bytes\n"
            "# array 8x8 FP16BP8, depths: local 8192, accumulators 2048, DRAM0 1048576, "
            "DRAM1 1048576\n"
            "MatMul Local(8190) -> Acc(0), 2                   # 0\n"
            "MatMul Local(0) -> Acc(2047), 2                   # 1: 2 vectors from accumulator "
            "address 2047 in steps of 1 run past the end of the accumulators (depth 2048); allowed "
            "1..1 vectors\n"
            "Raw 0x4200090000050007                            # 2: acts as SIMD R1 = Zero(), "
            "write Acc(7)\n"
            "Raw 0x7000000000000000                            # 3: opcode 0x7 is undefined; "
            "allowed 0x0..0x4 and 0xf\n");
}

// ---- expressions and directives ----------------------------------------------------------------

std::string value_of(const std::string& expression) {
  const auto program = assemble(pynqz1(), "Configure 0 = " + expression, "t");
  return std::to_string(configure_fields(InstructionLayout(pynqz1()), program.at(0)).value);
}

TEST(Assembler, Expressions) {
  EXPECT_EQ(value_of("2 + 3 * 4"), "14");
  EXPECT_EQ(value_of("(2 + 3) * 4"), "20");
  EXPECT_EQ(value_of("10 - 3 - 2"), "5");
  EXPECT_EQ(value_of("100 / 7 % 5"), "4");
  EXPECT_EQ(value_of("1 << 2 + 3"), "32");
  EXPECT_EQ(value_of("256 >> 3"), "32");
  EXPECT_EQ(value_of("-3 + 5"), "2");
  EXPECT_EQ(value_of("--3"), "3");
  EXPECT_EQ(value_of("0x1F + 0b1_01 + 1_000"), "1036");
  EXPECT_EQ(value_of("ARRAY_SIZE * 2 + local_depth"), "8208");
  EXPECT_EQ(value_of("DRAM0_DEPTH - DRAM1_DEPTH + ACCUMULATOR_DEPTH + SIMD_REGISTERS"), "2049");
  EXPECT_EQ(value_of("(0 - 9223372036854775807 - 1 >> 62) + 2"), "0");
}

TEST(Assembler, CommentsAndBlankLines) {
  EXPECT_EQ(assembled("# one\r\n; two\r\n  // three\r\n\r\n\tNOOP ; four\r\nnoop// five\nNoOp"),
            std::string(48, '0'));
  EXPECT_EQ(assembled(""), "");
}

TEST(Assembler, RepeatCountsUp) {
  EXPECT_EQ(assembled(".repeat 3 i\nMatMul Local(i * 4) -> Acc(2 - i), i + 1\n.end\n"),
            assembled("MatMul Local(0) -> Acc(2), 1\nMatMul Local(4) -> Acc(1), 2\n"
                      "MatMul Local(8) -> Acc(0), 3"));
}

TEST(Assembler, RepeatNests) {
  EXPECT_EQ(assembled(".repeat 2 i\n.repeat 2 j\nLoadWeights.zeroes i * 2 + j + 1\n.end\n.end\n"),
            assembled("LoadWeights.zeroes 1\nLoadWeights.zeroes 2\nLoadWeights.zeroes 3\n"
                      "LoadWeights.zeroes 4"));
  EXPECT_EQ(assembled(".repeat 2\n.repeat 0 k\nwhatever\n.end\nNoOp\n.end # comment"),
            std::string(32, '0'));
  EXPECT_EQ(assembled(".repeat 0\n.repeat 2\n.end\n.end\nNoOp"), std::string(16, '0'));
}

TEST(Assembler, CounterNameIsFreeAfterTheBlock) {
  EXPECT_EQ(assembled(".repeat 1 i\n.end\n.repeat 1 i\nNoOp\n.end"), std::string(16, '0'));
}

TEST(Assembler, EquMayBeSetAgain) {
  EXPECT_EQ(assembled(".equ at 0\n.repeat 2\nMatMul.zeroes Acc(at), 1\n.equ at at + 5\n.end"),
            assembled("MatMul.zeroes Acc(0), 1\nMatMul.zeroes Acc(5), 1"));
}

// ---- round trips -------------------------------------------------------------------------------

void check_round_trip(const Architecture& architecture, const std::vector<std::uint8_t>& bytes) {
  const InstructionLayout layout(architecture);
  const Instruction instruction = decode(layout, bytes.data());
  const std::string text = disassemble(layout, instruction);
  const std::vector<Instruction> again = assemble(architecture, text, "round trip");
  RC_ASSERT(again.size() == 1U);
  RC_ASSERT(again[0] == instruction);
}

RC_GTEST_PROP(AssemblerProperty, AnyBitPatternRoundTrips, ()) {
  const Architecture a = random_architecture();
  check_round_trip(a, random_bytes(InstructionLayout(a).instruction_bytes()));
}

// With few set bits and a used opcode, most bit patterns have a canonical text.
RC_GTEST_PROP(AssemblerProperty, SparseBitPatternsRoundTrip, ()) {
  const Architecture a = random_architecture();
  std::vector<std::uint8_t> bytes(InstructionLayout(a).instruction_bytes());
  const int set = *rc::gen::inRange(0, 6);
  for (int k = 0; k < set; ++k) {
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] |=
        static_cast<std::uint8_t>(1U << *rc::gen::inRange(0, 8));
  }
  bytes.back() = static_cast<std::uint8_t>(*rc::gen::element(0, 1, 2, 3, 4, 15) << 4 |
                                           *rc::gen::inRange(0, 16));
  check_round_trip(a, bytes);
}

TEST(AssemblerProperty, ExtremePatternsRoundTrip) {
  for (const Architecture& a : {uniform(1, 1), uniform(std::uint64_t{1} << 62, 4),
                                uniform(std::uint64_t{1} << 58, 64), pynqz1()}) {
    const InstructionLayout layout(a);
    for (unsigned header = 0; header < 256; ++header) {
      for (const std::uint8_t fill : {0x00, 0xFF}) {
        std::vector<std::uint8_t> bytes(layout.instruction_bytes(), fill);
        bytes.back() = static_cast<std::uint8_t>(header);
        const std::string text = text_of(bytes, a);
        EXPECT_EQ(assemble_bytes(a, text, "t"), bytes) << text;
      }
    }
  }
}

// Any text either assembles or is refused with a message that has a position.
RC_GTEST_PROP(AssemblerProperty, AnyTextIsHandled, ()) {
  const auto words = *rc::gen::container<std::vector<std::string>>(rc::gen::element<std::string>(
      "MatMul", "SIMD", "Local", "Acc", "(", ")", "->", ",", "=", "@", ".", "\n", ".repeat", ".end",
      ".equ", "i", "3", "0x", "-", "<<", "/", "Raw", "Configure", "R1", "I", "O", "Zero", "#",
      "\xFF", std::string(1, '\0')));
  std::string text;
  for (const std::string& word : words) text += word + " ";
  try {
    (void)assemble(pynqz1(), text, "any");
  } catch (const UserError& error) {
    RC_ASSERT(std::string(error.what()).rfind("any:", 0) == 0U);
  }
}

}  // namespace
}  // namespace tactus::tcu
