// Every rule of check(), at the last legal and the first illegal value.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "isa/tcu/assembler.h"
#include "isa/tcu/instruction.h"
#include "tests/unit/isa/sample_architectures.h"

namespace tactus::tcu {
namespace {

/// Returns the result of check() for one line of assembler text.
std::string check_of(const std::string& text, const Architecture& architecture = pynqz1()) {
  return check(architecture, InstructionLayout(architecture),
               assemble(architecture, text, "line").at(0));
}

struct Rule {
  std::string legal;
  std::string illegal;
  std::string message;
};

void expect_rules(const std::vector<Rule>& rules, const Architecture& architecture = pynqz1()) {
  for (const Rule& rule : rules) {
    EXPECT_EQ(check_of(rule.legal, architecture), "") << rule.legal;
    EXPECT_EQ(check_of(rule.illegal, architecture), rule.message) << rule.illegal;
  }
}

TEST(Check, Opcodes) {
  const Architecture a = pynqz1();
  for (std::uint8_t opcode = 0; opcode < 16; ++opcode) {
    Instruction i;
    i.opcode = opcode;
    const bool defined = opcode < 5 || opcode == 15;
    EXPECT_EQ(
        check(a, InstructionLayout(a), i),
        defined ? "" : fmt::format("opcode {:#x} is undefined; allowed 0x0..0x4 and 0xf", opcode));
  }
}

TEST(Check, FlagsAndKinds) {
  expect_rules({
      {"Raw 0x1300000000000000", "Raw 0x1400000000000000",
       "MatMul flags 0x4 set bits without meaning; allowed 0x0..0x3"},
      {"Raw 0x1300000000000000", "Raw 0x1800000000000000",
       "MatMul flags 0x8 set bits without meaning; allowed 0x0..0x3"},
      {"Raw 0x3100000000000000", "Raw 0x3200000000000000",
       "LoadWeights flags 0x2 set bits without meaning; allowed 0x0..0x1"},
      {"Raw 0x4400090000000000", "Raw 0x4800090000000000",
       "SIMD flags 0x8 set bits without meaning; allowed 0x0..0x7"},
      {"Raw 0x2300000000000000", "Raw 0x2400000000000000",
       "DataMove kind 0x4 is undefined; allowed 0x0..0x3, 0xc, 0xd and 0xf"},
      {"Raw 0x2c00000000000000", "Raw 0x2b00000000000000",
       "DataMove kind 0xb is undefined; allowed 0x0..0x3, 0xc, 0xd and 0xf"},
      {"Raw 0x2f00000000000000", "Raw 0x2e00000000000000",
       "DataMove kind 0xe is undefined; allowed 0x0..0x3, 0xc, 0xd and 0xf"},
  });
}

TEST(Check, AddressesAndRuns) {
  expect_rules({
      {"MatMul Local(0) -> Acc(2047), 1", "MatMul Local(0) -> Acc(2048), 1",
       "accumulator address 2048 is outside the accumulators; allowed 0..2047"},
      {"MatMul Local(0) -> Acc(2016), 32", "MatMul Local(0) -> Acc(2017), 32",
       "32 vectors from accumulator address 2017 in steps of 1 run past the end of the "
       "accumulators (depth 2048); allowed 1..31 vectors"},
      {"MatMul Local(8178)@2 -> Acc(0), 7", "MatMul Local(8178)@2 -> Acc(0), 8",
       "8 vectors from local address 8178 in steps of 2 run past the end of the local memory "
       "(depth 8192); allowed 1..7 vectors"},
      {"LoadWeights Local(8183), 9", "LoadWeights Local(8184), 9",
       "9 vectors from local address 8184 in steps of 1 run past the end of the local memory "
       "(depth 8192); allowed 1..8 vectors"},
      {"DataMove DRAM0(1048560)@16 -> Local(0), 1", "DataMove DRAM0(1048560)@16 -> Local(0), 2",
       "2 vectors from DRAM0 address 1048560 in steps of 16 run past the end of DRAM0 (depth "
       "1048576); allowed 1..1 vectors"},
      {"DataMove Local(0) -> DRAM1(1040384), 8192", "DataMove Local(0) -> DRAM1(1040385), 8192",
       "8192 vectors from DRAM1 address 1040385 in steps of 1 run past the end of DRAM1 (depth "
       "1048576); allowed 1..8191 vectors"},
      {"DataMove Acc(0) -> Local(0), 2048", "DataMove Acc(0) -> Local(0), 2049",
       "2049 vectors from accumulator address 0 in steps of 1 run past the end of the accumulators "
       "(depth 2048); allowed 1..2048 vectors"},
      {"DataMove.acc Local(8191) -> Acc(0), 1", "DataMove.acc Local(8191) -> Acc(0), 2",
       "2 vectors from local address 8191 in steps of 1 run past the end of the local memory "
       "(depth 8192); allowed 1..1 vectors"},
      {"SIMD O = Move(I), read Acc(2047)", "SIMD O = Move(I), read Acc(2048)",
       "accumulator read address 2048 is outside the accumulators; allowed 0..2047"},
      {"SIMD O = Zero(), write Acc(2047)", "SIMD O = Zero(), write Acc(2048)",
       "accumulator write address 2048 is outside the accumulators; allowed 0..2047"},
  });
}

TEST(Check, DepthThatIsNoPowerOfTwo) {
  expect_rules({{"LoadWeights Local(20479), 1", "LoadWeights Local(20480), 1",
                 "local address 20480 is outside the local memory; allowed 0..20479"},
                {"DataMove DRAM0(0) -> Local(0), 20480", "DataMove DRAM0(0) -> Local(0), 20481",
                 "20481 vectors from local address 0 in steps of 1 run past the end of the local "
                 "memory (depth 20480); allowed 1..20480 vectors"}},
               ultra96v2());
}

TEST(Check, EachMemoryHasItsOwnDepth) {
  expect_rules({{"DataMove DRAM0(999) -> Local(0), 1", "DataMove DRAM0(1000) -> Local(0), 1",
                 "DRAM0 address 1000 is outside DRAM0; allowed 0..999"},
                {"DataMove Local(0) -> DRAM1(1999), 1", "DataMove Local(0) -> DRAM1(2000), 1",
                 "DRAM1 address 2000 is outside DRAM1; allowed 0..1999"},
                {"DataMove Local(99) -> DRAM1(0), 1", "DataMove Local(100) -> DRAM1(0), 1",
                 "local address 100 is outside the local memory; allowed 0..99"}},
               make_architecture(8, 100, 50, 1000, 2000));
}

TEST(Check, ZeroesIgnoreTheLocalAddress) {
  expect_rules({
      {"MatMul.zeroes Acc(0), 2048", "MatMul.zeroes Acc(0), 2049",
       "2049 vectors from accumulator address 0 in steps of 1 run past the end of the accumulators "
       "(depth 2048); allowed 1..2048 vectors"},
      {"LoadWeights.zeroes 8192", "LoadWeights.zeroes 8193",
       "8193 vectors of zeroes exceed the array's counter, which is as deep as the local memory; "
       "allowed 1..8192 vectors"},
      {"Raw 0x310000001FFFFFFF", "Raw 0x310000002000FFFF",
       "8193 vectors of zeroes exceed the array's counter, which is as deep as the local memory; "
       "allowed 1..8192 vectors"},
      {"Raw 0x120000000000FFFF", "Raw 0x120000000800FFFF",
       "accumulator address 2048 is outside the accumulators; allowed 0..2047"},
  });
}

TEST(Check, StrideCodes) {
  Architecture a = pynqz1();
  a.stride0_depth = 5;
  a.stride1_depth = 6;
  expect_rules({{"MatMul Local(0)@16 -> Acc(0)@32, 1", "MatMul Local(0)@32 -> Acc(0), 1",
                 "stride code 5 of operand 0 is undefined; allowed 0..4"},
                {"MatMul Local(0)@16 -> Acc(0)@32, 1", "MatMul Local(0) -> Acc(0)@64, 1",
                 "stride code 6 of operand 1 is undefined; allowed 0..5"}},
               a);
}

TEST(Check, SimdSelectors) {
  Architecture a = pynqz1();
  a.simd_registers_depth = 2;
  expect_rules({{"SIMD R2 = Zero()", "SIMD R3 = Zero()",
                 "SIMD destination 3 names no register; allowed 0 (output) and 1..2 (registers)"},
                {"SIMD O = Max(R2, I), read Acc(0)", "SIMD O = Max(R3, I), read Acc(0)",
                 "SIMD left source 3 names no register; allowed 0 (input) and 1..2 (registers)"},
                {"SIMD O = Max(I, R2), read Acc(0)", "SIMD O = Max(I, R3), read Acc(0)",
                 "SIMD right source 3 names no register; allowed 0 (input) and 1..2 (registers)"}},
               a);
}

TEST(Check, SimdInstructionsThatHangAreRefused) {
  const std::string unread =
      "waits for an input vector that is not read (a source is 0); allowed with read, or with "
      "registers as both sources";
  const std::string untaken =
      "reads a vector that no source takes; allowed without read, or with 0 (input) as a source";
  const std::string bypass =
      "SIMD NoOp bypasses the ALU, so its read or write waits for other instructions; allowed "
      "without read and write (Move copies)";
  expect_rules({
      {"SIMD O = Add(R1, R1), write Acc(0)", "SIMD O = Add(I, R1), write Acc(0)",
       "SIMD Add " + unread},
      {"SIMD O = Add(R1, R1)", "SIMD O = Add(R1, I)", "SIMD Add " + unread},
      {"SIMD O = Not(R1)", "SIMD O = Not(R1, I)", "SIMD Not " + unread},
      {"SIMD O = Min(I, R1), read Acc(0)", "SIMD O = Min(R1, R1), read Acc(0)",
       "SIMD Min " + untaken},
      {"SIMD O = Min(R1, I), read Acc(0), write Acc(0)",
       "SIMD O = Min(R1, R1), read Acc(0), write Acc(0)", "SIMD Min " + untaken},
      {"SIMD R1 = Zero(), write Acc(0)", "SIMD R1 = Zero(), read Acc(0), write Acc(0)",
       "SIMD Zero takes no input, so the vector read blocks the accumulators; allowed without "
       "read"},
      {"SIMD R1 = NoOp()", "Raw 0x4100000000000000", bypass},
      {"SIMD R1 = NoOp(I, R1), accumulate", "Raw 0x4200000000000000", bypass},
      {"NoOp", "Raw 0x4300000000000000", bypass},
  });
}

TEST(Check, BitsWithoutMeaningAreLegal) {
  for (const char* text : {
           "NoOp",
           "Raw 0x0FFFFFFFFFFFFFFF",    // NoOp with everything set
           "Raw 0xFFFFFFFFFFFFFFFF",    // Configure with everything set
           "Raw 0x1000008000000000",    // padding of operand 1
           "Raw 0x30FFFF0000000000",    // operand 2 of LoadWeights
           "Raw 0x40FF89F00000E000",    // stride and address bits of unused SIMD operands
           "LoadWeights Local(0), 100"  // more than the array holds; the last vectors are used
       }) {
    EXPECT_EQ(check_of(text), "") << text;
  }
}

TEST(Check, UnusedSimdAddressesAreIgnored) { EXPECT_EQ(check_of("Raw 0x4000090FFFFFFFFF"), ""); }

TEST(Check, PaddingOfASizeCounts) {
  // Operand 2 has 13 used bits here, but the hardware passes all 16 bits to the DRAM side.
  EXPECT_EQ(check_of("Raw 0x2020000000000000"),
            "8193 vectors from local address 0 in steps of 1 run past the end of the local memory "
            "(depth 8192); allowed 1..8192 vectors");
}

TEST(Check, WidestFieldsDoNotOverflow) {
  const Architecture a = uniform(std::uint64_t{1} << 62);
  const InstructionLayout layout(a);
  Instruction i;
  i.opcode = 1;
  i.operand0 = ~std::uint64_t{0};
  i.operand1 = ~std::uint64_t{0};
  i.operand2 = ~std::uint64_t{0};
  EXPECT_EQ(check(a, layout, i),
            "18446744073709551616 vectors from local address 4611686018427387903 in steps of 8 run "
            "past the end of the local memory (depth 4611686018427387904); allowed 1..1 vectors");
}

// Compares check() with an enumeration of all addresses.
RC_GTEST_PROP(CheckProperty, RunsMatchEnumeration, ()) {
  Architecture a = uniform(1, 8);
  a.local_depth = *rc::gen::inRange<std::uint64_t>(1, 70);
  a.accumulator_depth = *rc::gen::inRange<std::uint64_t>(1, 70);
  const InstructionLayout layout(a);
  const auto operand = [](unsigned bits) {
    return Operand{*rc::gen::inRange<std::uint64_t>(0, std::uint64_t{1} << bits),
                   *rc::gen::inRange(0U, 8U)};
  };
  const Operand local = operand(layout.operand0_address);
  const Operand accumulator = operand(layout.operand1_address);
  const auto count = *rc::gen::inRange<std::uint64_t>(1, 20);
  bool legal = true;
  for (std::uint64_t k = 0; k < count; ++k) {
    legal = legal && local.address + (k << local.stride) < a.local_depth;
    legal = legal && accumulator.address + (k << accumulator.stride) < a.accumulator_depth;
  }
  RC_ASSERT(check(a, layout, make_mat_mul(layout, local, accumulator, count)).empty() == legal);
}

RC_GTEST_PROP(CheckProperty, AnyBitPatternIsJudged, ()) {
  const Architecture a = random_architecture();
  const InstructionLayout layout(a);
  (void)check(a, layout, decode(layout, random_bytes(layout.instruction_bytes()).data()));
}

RC_GTEST_PROP(CheckProperty, AProgramIsAsGoodAsItsFirstWrongInstruction, ()) {
  const Architecture a = random_architecture();
  const InstructionLayout layout(a);
  std::vector<std::uint8_t> program;
  std::optional<ProgramProblem> expected;
  const auto count = *rc::gen::inRange<std::size_t>(0, 8);
  for (std::size_t i = 0; i < count; ++i) {
    std::vector<std::uint8_t> bytes = random_bytes(layout.instruction_bytes());
    if (*rc::gen::arbitrary<bool>()) bytes.assign(bytes.size(), 0);  // a legal NoOp
    const std::string wrong = check(a, layout, decode(layout, bytes.data()));
    if (!expected && !wrong.empty()) expected = ProgramProblem{i, wrong};
    program.insert(program.end(), bytes.begin(), bytes.end());
  }
  const auto found = check_program(a, layout, program);
  RC_ASSERT(found.has_value() == expected.has_value());
  if (!found) return;
  RC_ASSERT(found->instruction == expected->instruction);
  RC_ASSERT(found->what == expected->what);
}

}  // namespace
}  // namespace tactus::tcu
