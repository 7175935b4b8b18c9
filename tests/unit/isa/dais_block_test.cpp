// DAIS blocks of an architecture: the file's keys, the instruction's fields, text and checks.
#include "isa/tcu/dais_block.h"

#include <filesystem>
#include <string>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "firmware/driver/tcu/model.h"
#include "isa/dais/json.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/assembler.h"
#include "isa/tcu/disassembler.h"
#include "isa/tcu/model_file.h"
#include "tests/support/dais_blocks.h"
#include "tests/unit/isa/sample_architectures.h"
#include "tests/unit/isa/test_files.h"

namespace tactus::tcu {
namespace {

/// Tests with a folder of the programs one.json (8 inputs, 8 outputs), wide.json (20, 9) and
/// bad.json.
class DaisBlocks : public ScratchFolder {
 protected:
  void SetUp() override {
    ScratchFolder::SetUp();
    std::filesystem::create_directory(path("sub"));
    write("one.json", dais::encode_json(relay_program(8, 8), "one"));
    write("sub/wide.json", dais::encode_json(relay_program(20, 9), "wide"));
    write("bad.json", "[[1, 1], [0], [5], [0], [false], [], -1, -1]");
  }

  void write(const std::string& name, const std::string& text) const {
    write_file_atomically(path(name), text);
  }

  /// Writes an architecture file with this value of dais_blocks, local depth 64, accumulator depth
  /// 16. Returns its path.
  [[nodiscard]] std::string architecture(const std::string& blocks) const {
    Architecture a = make_architecture(8, 64, 16, 256, 256);
    std::string text = to_json(a);
    text.insert(text.rfind('\n'), ",\n  \"dais_blocks\": " + blocks);
    write("x.tarch", text);
    return path("x.tarch");
  }
  [[nodiscard]] Architecture read(const std::string& blocks) const {
    return read_architecture(architecture(blocks));
  }
  /// Returns the error without the folder's name.
  [[nodiscard]] std::string error(const std::string& blocks) const {
    const std::string file = architecture(blocks);
    std::string text = error_of([&] { (void)read_architecture(file); });
    const std::string folder = path("");
    for (std::size_t at = 0; (at = text.find(folder, at)) != std::string::npos;) {
      text.erase(at, folder.size());
    }
    return text;
  }
};

TEST_F(DaisBlocks, AreReadFromTheArchitecturesFolder) {
  const Architecture a = read(
      R"([{"name": "one", "program": "one.json"}, {"name": "w_2", "program": "sub/wide.json"}])");
  ASSERT_EQ(a.dais_blocks.size(), 2U);
  EXPECT_EQ(a.dais_blocks[0].name, "one");
  EXPECT_EQ(a.dais_blocks[0].program, "one.json");
  EXPECT_EQ(a.dais_blocks[0].path, path("one.json"));
  EXPECT_EQ(a.dais_blocks[0].input_vectors(8), 1U);
  EXPECT_EQ(a.dais_blocks[0].latency(), 1U);
  EXPECT_EQ(a.dais_blocks[1].input_vectors(8), 3U);
  EXPECT_EQ(a.dais_blocks[1].output_vectors(8), 2U);
  EXPECT_EQ(InstructionLayout(a).dais_block_count, 2U);
  EXPECT_EQ(InstructionLayout(a).instruction_bytes(),
            InstructionLayout(make_architecture(8, 64, 16, 256, 256)).instruction_bytes());
}

TEST_F(DaisBlocks, AnEmptyListMeansNoBlocks) {
  EXPECT_EQ(read("[]"), make_architecture(8, 64, 16, 256, 256));
  EXPECT_EQ(to_json(read("[]")), to_json(make_architecture(8, 64, 16, 256, 256)));
}

TEST_F(DaisBlocks, WhatIsWrittenReadsBack) {
  const Architecture a = read(R"([{"name": "one", "program": "one.json"}])");
  EXPECT_EQ(parse_architecture(to_json(a), path("other.tarch")), a);
  EXPECT_NE(to_json(a, -1).find(R"("dais_blocks":[{"name":"one","program":"one.json"}])"),
            std::string::npos);
}

TEST_F(DaisBlocks, BlocksAreEqualIfTheirNamesAndLogicAre) {
  const Architecture a = read(R"([{"name": "one", "program": "one.json"}])");
  write("copy.json", dais::encode_json(relay_program(8, 8), "copy"));
  EXPECT_EQ(read(R"([{"name": "one", "program": "copy.json"}])"), a);
  EXPECT_NE(read(R"([{"name": "two", "program": "one.json"}])"), a);
  EXPECT_NE(read(R"([{"name": "one", "program": "sub/wide.json"}])"), a);
  EXPECT_NE(read("[]"), a);
  const auto changed = [](auto change) {
    dais::Program program = relay_program(8, 8);
    change(program);
    return dais_block("one", program) == dais_block("one", relay_program(8, 8));
  };
  EXPECT_TRUE(changed([](dais::Program& p) { p.ops[0].cost = 7; }));
  EXPECT_FALSE(changed([](dais::Program& p) { p.ops[0].type.fraction_bits = 1; }));
  EXPECT_FALSE(changed([](dais::Program& p) { p.outputs[3].negative = true; }));
  EXPECT_FALSE(changed([](dais::Program& p) { p.outputs.pop_back(); }));
  EXPECT_FALSE(changed([](dais::Program& p) { p.input_shifts[1] = 1; }));
  EXPECT_FALSE(changed([](dais::Program& p) { p.dialect = dais::Dialect::v0; }));
  EXPECT_FALSE(changed([](dais::Program& p) { p.tables.push_back({{1}, {}, "", 0}); }));
  // The two blocks differ in the number of ranks.
  EXPECT_FALSE(relay_block("one", 8, 8, 1) == relay_block("one", 8, 8, 2));
}

TEST_F(DaisBlocks, DifferencesNameTheProgramsOfBoth) {
  const Architecture a = read(R"([{"name": "one", "program": "one.json"}])");
  EXPECT_EQ(architecture_differences(a, a), "");
  EXPECT_EQ(architecture_differences(a, read("[]")), "dais_blocks (one from one.json, none)");
  Architecture b = read(R"([{"name": "one", "program": "sub/wide.json"}])");
  b.array_size = 16;
  EXPECT_EQ(architecture_differences(a, b),
            "array_size (8, 16), dais_blocks (one from one.json, one from sub/wide.json)");
}

TEST_F(DaisBlocks, ProblemsComeWithTheirPlace) {
  EXPECT_EQ(error(R"({"name": "one"})"), "x.tarch:/dais_blocks: must be an array, is an object");
  EXPECT_EQ(error(R"([{"name": "a", "program": "nothing.json"}])"),
            "x.tarch:/dais_blocks/0/program: nothing.json: no such file");
  EXPECT_EQ(error(R"([{"name": "a", "program": "sub"}])"),
            "x.tarch:/dais_blocks/0/program: sub: is a directory; a file is needed");
  EXPECT_EQ(error(R"([{"name": "a", "program": "one.json"}, {"program": 3, "file": "x"}])"),
            "x.tarch:/dais_blocks/1/name: missing key\n"
            "x.tarch:/dais_blocks/1/program: must be a string, is a number\n"
            "x.tarch:/dais_blocks/1/file: unknown key; allowed \"name\", \"program\"");
  EXPECT_EQ(
      error(R"([{"name": "a", "program": "one.json"}, {"name": "A", "program": "one.json"}])"),
      "x.tarch:/dais_blocks/1/name: \"A\" is the name of block 0 too (letter case does not "
      "count); allowed a new name for each block");
  for (const std::string name : {"", "1a", "a-b", "a b", "\\u00e9"}) {
    EXPECT_NE(error(R"([{"name": ")" + name + R"(", "program": "one.json"}])")
                  .find("is no name; allowed letters, digits and _, no digit first"),
              std::string::npos)
        << name;
  }
  EXPECT_EQ(error(R"([{"name": "Local_Depth", "program": "one.json"}])"),
            "x.tarch:/dais_blocks/0/name: \"Local_Depth\" means something else to the assembler; "
            "allowed any other name");
  const std::string malformed = error(R"([{"name": "a", "program": "bad.json"}])");
  EXPECT_EQ(malformed.rfind("x.tarch:/dais_blocks/0/program: bad.json", 0), 0U) << malformed;
}

TEST_F(DaisBlocks, AtMostEight) {
  std::string list;
  for (int i = 0; i < 9; ++i) {
    list += (i == 0 ? "[" : ", ") + fmt::format(R"({{"name": "b{}", "program": "one.json"}})", i);
    if (i == 7) {
      EXPECT_EQ(read(list + "]").dais_blocks.size(), 8U);
    }
  }
  EXPECT_EQ(error(list + "]"),
            "x.tarch:/dais_blocks: 9 blocks are more than an instruction can name; allowed up to "
            "8");
}

TEST_F(DaisBlocks, ASampleFitsTheMemories) {
  const auto with = [&](std::size_t inputs, std::size_t outputs) {
    write("new.json", dais::encode_json(relay_program(inputs, outputs), "new"));
    return error(R"([{"name": "new", "program": "new.json"}])");
  };
  EXPECT_EQ(with(64 * 8, 16 * 8), "no error");
  EXPECT_EQ(with(64 * 8 + 1, 8),
            "x.tarch:/dais_blocks/0/program: 513 inputs are 65 vectors, more than the local memory "
            "holds; allowed 64");
  EXPECT_EQ(
      with(8, 16 * 8 + 1),
      "x.tarch:/dais_blocks/0/program: 129 outputs are 17 vectors, more than the accumulators "
      "hold; allowed 16");
  EXPECT_EQ(
      dais_block_problem(make_architecture(8, 4, 16, 256, 256), relay_block("x", 8, 40)),
      "40 outputs are 5 vectors, more than the router counts, which is the depth of the local "
      "memory; allowed 4");
}

TEST_F(DaisBlocks, ModelFilesNameTheirBlocks) {
  ModelFile model;
  model.name = "m";
  model.prog.file_name = "m.tprog";
  model.arch = read(R"([{"name": "one", "program": "one.json"}])");
  write_model_file(path("m.tmodel"), model);
  EXPECT_EQ(read_model_file(path("m.tmodel")).arch, model.arch);
  std::filesystem::remove(path("one.json"));
  const std::string text = error_of([&] { (void)read_model_file(path("m.tmodel")); });
  EXPECT_NE(text.find("m.tmodel:/arch/dais_blocks/0/program: "), std::string::npos) << text;
  EXPECT_NE(text.find("one.json: no such file"), std::string::npos) << text;
}

TEST(DaisBlockWarnings, RangeAndFraction) {
  Architecture a = make_architecture(8, 64, 16, 256, 256);
  a.dais_blocks = {dais_block("fits", relay_program(2, 2, 8))};
  a.dais_blocks[0].path = "p.json";
  dais::Program program = relay_program(3, 3, 8);
  program.ops[0].range = {-128, 127, 1};
  program.ops[1].range = {-128, 128, 1};
  program.ops[2].range = {0, 1, 1.0 / 512};
  a.dais_blocks.push_back(dais_block("two", program));
  EXPECT_EQ(
      dais_block_warnings(a),
      (std::vector<std::string>{
          "DAIS block fits (p.json): 2 of 2 outputs can leave -128 .. 127.99609375, the range "
          "of FP16BP8, and saturate; output 0 has -32768 .. 32767.99609375",
          "DAIS block two (two.json): 1 of 3 outputs can leave -128 .. 127.99609375, the "
          "range of FP16BP8, and saturate; output 1 has -128 .. 128",
          "DAIS block two (two.json): 1 of 3 outputs have more than the 8 fraction bits of "
          "FP16BP8 and are rounded; output 2 has 9"}));
  a.dais_blocks.erase(a.dais_blocks.begin());
  a.data_type = DataType::fp32bp16;
  EXPECT_EQ(dais_block_warnings(a), std::vector<std::string>{});
}

// ---- the instruction ---------------------------------------------------------------------------

/// Returns the architecture of the tests above with two blocks: 1 input and 1 output vector, and 3
/// and 2 vectors.
Architecture two_blocks() {
  Architecture a = make_architecture(8, 64, 16, 256, 256);
  a.dais_blocks = {relay_block("one", 8, 8), relay_block("wide", 20, 9)};
  return a;
}

TEST(DaisInstruction, Fields) {
  const InstructionLayout layout(two_blocks());
  const Instruction i = make_dais(layout, 5, {3, 1}, {4, 2}, 7, true);
  EXPECT_EQ(i.opcode, 6U);
  EXPECT_EQ(i.flags, 0xBU);  // block 101, accumulate 1
  EXPECT_EQ(operand0_fields(layout, i).address, 3U);
  EXPECT_EQ(operand0_fields(layout, i).stride, 1U);
  EXPECT_EQ(operand1_fields(layout, i).address, 4U);
  EXPECT_EQ(operand1_fields(layout, i).stride, 2U);
  EXPECT_EQ(i.operand2, 6U);
  EXPECT_EQ(dais_fields(i).block, 5U);
  EXPECT_TRUE(dais_fields(i).accumulate);
  EXPECT_EQ(error_of([&] {
              (void)make_dais(layout, 8, {0, 0}, {0, 0}, 1);
            }),
            "DAIS block 8 does not fit its field; allowed 0..7");
  EXPECT_EQ(error_of([&] {
              (void)make_dais(layout, 0, {0, 0}, {0, 0}, 0);
            }),
            "the number of samples, 0, does not fit its field; allowed 1..256");
}

TEST(DaisInstruction, Check) {
  const Architecture a = two_blocks();
  const InstructionLayout layout(a);
  const auto wrong = [&](unsigned block, Operand local, Operand accumulator, std::uint64_t count) {
    return check(a, layout, make_dais(layout, block, local, accumulator, count));
  };
  EXPECT_EQ(wrong(0, {0, 0}, {0, 0}, 16), "");
  EXPECT_EQ(wrong(0, {48, 0}, {0, 0}, 16), "");
  EXPECT_EQ(wrong(0, {0, 0}, {0, 0}, 17),
            "17 samples of block one: 17 vectors from accumulator address 0 in steps of 1 run past "
            "the end of the accumulators (depth 16); allowed 1..16 vectors");
  EXPECT_EQ(wrong(0, {49, 0}, {0, 0}, 16),
            "16 samples of block one: 16 vectors from local address 49 in steps of 1 run past the "
            "end of the local memory (depth 64); allowed 1..15 vectors");
  EXPECT_EQ(wrong(1, {0, 0}, {0, 0}, 8), "");
  EXPECT_EQ(wrong(1, {41, 0}, {0, 0}, 8),
            "8 samples of block wide: 24 vectors from local address 41 in steps of 1 run past the "
            "end of the local memory (depth 64); allowed 1..23 vectors");
  EXPECT_EQ(wrong(1, {0, 0}, {0, 0}, 9),
            "9 samples of block wide: 18 vectors from accumulator address 0 in steps of 1 run past "
            "the end of the accumulators (depth 16); allowed 1..16 vectors");
  EXPECT_EQ(wrong(2, {0, 0}, {0, 0}, 1), "there is no DAIS block 2; allowed 0..1");
  Instruction undefined;
  undefined.opcode = 7;
  EXPECT_EQ(check(a, layout, undefined), "opcode 0x7 is undefined; allowed 0x0..0x4, 0x6 and 0xf");

  Architecture deep = a;
  deep.accumulator_depth = 1024;
  const InstructionLayout wider(deep);
  EXPECT_EQ(check(deep, wider, make_dais(wider, 0, {0, 0}, {0, 0}, 64)), "");
  deep.dais_blocks = {relay_block("grows", 8, 16)};
  EXPECT_EQ(
      check(deep, wider, make_dais(wider, 0, {0, 0}, {0, 0}, 33)),
      "33 samples of block grows: 66 vectors of results exceed the router's counter, which is "
      "as deep as the local memory; allowed 1..64 vectors");
}

/// The number of vectors of these samples does not fit 64 bits.
TEST(DaisInstruction, CheckDoesNotOverflow) {
  Architecture a = uniform(std::uint64_t{1} << 58, 1);
  a.dais_blocks = {relay_block("wide", 4 * 37, 1)};
  const InstructionLayout layout(a);
  Instruction i = make_dais(layout, 0, {0, 0}, {0, 0}, 1);
  i.operand2 = ~std::uint64_t{0} / 37 + 1;  // times 37 exceeds 2^64
  EXPECT_NE(check(a, layout, i), "");
}

TEST(DaisInstruction, WithoutBlocksTheOpcodeMeansNothing) {
  const Architecture a = make_architecture(8, 64, 16, 256, 256);
  const InstructionLayout layout(a);
  const Instruction i = make_dais(layout, 0, {0, 0}, {0, 0}, 1);
  EXPECT_EQ(check(a, layout, i), "opcode 0x6 is undefined; allowed 0x0..0x4 and 0xf");
  EXPECT_EQ(disassemble(layout, i).rfind("Raw 0x60", 0), 0U) << disassemble(layout, i);
  EXPECT_EQ(error_of([&] { (void)assemble(a, "Dais Local(0) -> Block(0) -> Acc(0), 1", "x"); }),
            "x:1:1: Dais needs a DAIS block, and this architecture has none; allowed with "
            "\"dais_blocks\" in the architecture file");
}

TEST(DaisInstruction, Text) {
  const Architecture a = two_blocks();
  const InstructionLayout layout(a);
  const auto one = [&](const std::string& text) { return assemble(a, text, "x").at(0); };
  EXPECT_EQ(one("Dais Local(3) -> Block(1) -> Acc(4), 7"), make_dais(layout, 1, {3, 0}, {4, 0}, 7));
  EXPECT_EQ(one("dais.ACC local(3)@4 -> block(WIDE) -> acc(4)@2, 7"),
            make_dais(layout, 1, {3, 2}, {4, 1}, 7, true));
  EXPECT_EQ(one("Dais Local(0) -> Block(wide - 1) -> Acc(0), 1"),
            make_dais(layout, 0, {0, 0}, {0, 0}, 1));
  const auto wrong = [&](const std::string& text) {
    return error_of([&] { (void)assemble(a, text, "x", AssemblerChecks::strict); });
  };
  EXPECT_EQ(wrong("Dais Local(0) -> Block(2) -> Acc(0), 1"),
            "x:1:24: a DAIS block cannot be 2; allowed 0..1");
  EXPECT_EQ(wrong("Dais Local(0) -> Block(one) -> Acc(0), 0"),
            "x:1:40: the number of samples cannot be 0; allowed 1..256");
  EXPECT_EQ(wrong("Dais Local(0) -> Block(other) -> Acc(0), 1"),
            "x:1:24: unknown DAIS block \"other\"; allowed one, wide");
  EXPECT_EQ(wrong("Dais Local(0) -> Block(wids) -> Acc(0), 1"),
            "x:1:24: unknown DAIS block \"wids\"; did you mean \"wide\"?");
  EXPECT_EQ(wrong(".equ narrow 0\nDais Local(0) -> Block(narrow) -> Acc(0), 1"), "no error");
  EXPECT_EQ(wrong("Dais Local(0) -> Acc(0), 1").rfind("x:1:18: expected \"Block\"", 0), 0U)
      << wrong("Dais Local(0) -> Acc(0), 1");
  EXPECT_EQ(wrong("Dais.zeroes Local(0) -> Block(0) -> Acc(0), 1"),
            "x:1:6: unknown modifier \"zeroes\"; allowed .acc");
  EXPECT_EQ(wrong(".equ one 1"),
            "x:1:6: \"one\" is predefined from the architecture; allowed any other name");
  EXPECT_EQ(wrong("Dais Local(0) -> Block(wide) -> Acc(0), 9").rfind("x:1:1: 9 samples of", 0), 0U);
  EXPECT_EQ(
      disassemble_program(a, assemble_bytes(a, "Dais Local(0) -> Block(1) -> Acc(0), 9", "x")),
      "# 1 instructions of 6 bytes\n"
      "# array 8x8 FP16BP8, depths: local 64, accumulators 16, DRAM0 256, DRAM1 256\n"
      "# DAIS block 0: one\n"
      "# DAIS block 1: wide\n"
      "Dais Local(0) -> Block(1) -> Acc(0), 9            # 0: 9 samples of block wide: 18 "
      "vectors from accumulator address 0 in steps of 1 run past the end of the accumulators "
      "(depth 16); allowed 1..16 vectors\n");
}

RC_GTEST_PROP(DaisInstruction, EveryPatternSurvivesItsText, ()) {
  Architecture a = random_architecture();
  const int blocks = *rc::gen::inRange(1, 9);
  for (int b = 0; b < blocks; ++b)
    a.dais_blocks.push_back(relay_block(fmt::format("b{}", b), 1, 1));
  const InstructionLayout layout(a);
  std::vector<std::uint8_t> bytes = random_bytes(layout.instruction_bytes());
  bytes.back() = static_cast<std::uint8_t>(0x60 | (bytes.back() & 0xF));
  const Instruction i = decode(layout, bytes.data());
  const std::string text = disassemble(layout, i);
  RC_ASSERT(assemble(a, text, "x").at(0) == i);
  RC_ASSERT(encode_program(layout, {i}) == bytes);
}

}  // namespace
}  // namespace tactus::tcu
