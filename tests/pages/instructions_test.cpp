// Pages of the instruction sets: `explain asm` and `explain instructions`, the same tables in
// isa/README.md, and the kernels on that page with their values and cycles.
#include <fstream>
#include <regex>
#include <sstream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "isa/dpas/instruction_set.h"
#include "isa/tcu/assembler.h"
#include "isa/tcu/disassembler.h"
#include "isa/tcu/instruction_set.h"
#include "isa/tcu/names.h"
#include "tests/cli/cli.h"
#include "tests/support/dais_blocks.h"

namespace tactus {
namespace {

using Json = nlohmann::json;

std::string readme() {
  std::ifstream in(std::string(TACTUS_SOURCE_DIR) + "/isa/README.md");
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

tcu::Architecture with_everything() {
  tcu::Architecture a;
  a.lookup_tables = {1, 256, 4};
  a.simd_registers_depth = 3;
  a.activation_unit = true;
  a.dais_blocks = {dais_block("mlp", relay_program(8, 8))};
  return a;
}

class Instructions : public CliTest {
 protected:
  /// Returns the output of `explain` with single blanks between words.
  [[nodiscard]] std::string explained(const std::string& what) const {
    return std::regex_replace(tactus("explain " + what).out, std::regex(" +"), " ");
  }
};

TEST_F(Instructions, TheReadmeHasTheTablesOfExplain) {
  const std::string page = readme();
  for (const char* topic : {"asm", "instructions"}) {
    for (const char* machine : {"", " --machine dpas"}) {
      const Output printed = tactus(fmt::format("explain {} --markdown{}", topic, machine));
      ASSERT_EQ(printed.code, 0) << printed.err;
      EXPECT_NE(page.find(printed.out), std::string::npos) << topic << machine;
    }
  }
  EXPECT_EQ(tactus("asm --help").out.find(".h"), std::string::npos);
}

/// Every mnemonic and suffix that the disassembler can write has a row.
TEST_F(Instructions, EveryOpcodeFlagAndOperationHasARow) {
  const std::string text = explained("instructions");
  const tcu::Architecture architecture = with_everything();
  const tcu::InstructionLayout layout(architecture);
  const std::regex mnemonic("^[A-Za-z]+");
  const std::regex parts("[.](acc|act|zeroes)|read|write|accumulate");
  std::size_t known = 0;
  for (unsigned code = 0; code < 256; ++code) {
    tcu::Instruction i;
    i.opcode = static_cast<std::uint8_t>(code >> 4U);
    i.flags = static_cast<std::uint8_t>(code & 15U);
    if (i.opcode == 4) i.operand2 = std::uint64_t{15} << (3 * layout.simd_selector);
    const std::string written = tcu::disassemble(layout, i);
    if (written.rfind("Raw", 0) == 0) continue;
    ++known;
    std::smatch name;
    ASSERT_TRUE(std::regex_search(written, name, mnemonic));
    EXPECT_NE(
        text.find("\n" + name.str() + "\n opcode " + fmt::format("{:#x}\n", unsigned{i.opcode})),
        std::string::npos)
        << written;
    for (std::sregex_iterator part(written.begin(), written.end(), parts), end; part != end;
         ++part) {
      const char* const blank = i.opcode == 4 ? " " : "";
      EXPECT_NE(text.find("\n" + name.str() + blank + part->str()), std::string::npos) << written;
    }
    if (i.opcode == 2) {
      const std::string places = std::regex_replace(written, std::regex("\\([0-9]+\\)|, 1$"), "");
      EXPECT_NE(text.find(fmt::format("\n{}\n flags {:#x}\n", places, unsigned{i.flags})),
                std::string::npos)
          << written;
    }
  }
  EXPECT_GE(known, 1U + 4 + 8 + 2 + 8 + 1 + 2 + 1 + 1);
  for (std::size_t op = 0; op < tcu::simd_ops; ++op) {
    const std::string_view name = tcu::simd_op_infos[op].name;
    EXPECT_NE(text.find(fmt::format("\n{}\n number {:#x}\n", name, op)), std::string::npos) << name;
  }
  for (const auto& [name, value, bits] : tcu::config_registers) {
    EXPECT_NE(text.find("\n" + std::string(name)), std::string::npos) << name;
  }
  const std::string visa = explained("instructions --machine dpas");
  for (unsigned code = 0; code < 256; ++code) {
    const std::string_view name = dpas::name(static_cast<dpas::Opcode>(code));
    if (name.empty()) continue;
    EXPECT_NE(visa.find(fmt::format("\n opcode {:#04x}\n", code)), std::string::npos) << name;
  }
}

TEST_F(Instructions, ExamplesAssembleToTheirInstruction) {
  const tcu::Architecture architecture = with_everything();
  const tcu::InstructionLayout layout(architecture);
  const auto one = [&](std::string_view text) {
    return tcu::assemble(architecture, text, "example", tcu::AssemblerChecks::strict).at(0);
  };
  for (const tcu::InstructionInfo& info : tcu::instruction_set()) {
    unsigned flags = 0;
    for (const std::string_view example : info.examples) {
      const tcu::Instruction i = one(example);
      EXPECT_EQ(i.opcode, static_cast<unsigned>(info.opcode)) << example;
      EXPECT_EQ(one(tcu::disassemble(layout, i)), i) << example;
      flags |= i.flags;
    }
    for (const tcu::ModifierInfo& m : info.modifiers) EXPECT_EQ(flags & m.flags, m.flags) << m.name;
  }
  for (const ReferenceTable& table : tcu::instruction_tables()) {
    if (table.columns.back() != "example") continue;
    ASSERT_EQ(table.rows.size(), tcu::simd_ops);
    for (std::size_t op = 0; op < table.rows.size(); ++op) {
      EXPECT_EQ(tcu::simd_fields(layout, one(table.rows[op].back())).op,
                static_cast<tcu::SimdOp>(op));
    }
  }
  EXPECT_EQ(one("SIMD R1 = Zero"), one("SIMD R1 = Zero()"));
}

TEST_F(Instructions, VisaExamplesAssemble) {
  std::string text = std::string(dpas::worked_kernel()) +
                     ".decl X v_type=G type=d num_elts=16 align=GRF\n"
                     ".decl P1 v_type=P num_elts=1\nLOOP:\n";
  for (const dpas::InstructionInfo& info : dpas::instruction_set()) {
    // Fused units (dpasw) and block scales (bdpas) are not available on any machine of Tactus.
    if (info.mnemonic == "dpasw" || info.mnemonic == "bdpas") continue;
    text += std::string(info.example) + "\n";
  }
  write("k.visaasm", text);
  const Output assembled = tactus("asm k.visaasm --machine pvc --output k.isa");
  EXPECT_EQ(assembled.code, 0) << assembled.err;
}

TEST_F(Instructions, TheKernelTakesThePagesCycles) {
  const std::string page = readme();
  write("k.tasm", std::string(tcu::worked_kernel()));
  ASSERT_EQ(tactus("asm k.tasm --arch pynqz1 --output k.tprog").code, 0);
  const std::string example = TACTUS_SOURCE_DIR "/firmware/examples/kernel/matmul_relu.tasm";
  ASSERT_EQ(tactus("asm " + example + " --arch pynqz1 --output e.tprog").code, 0);
  EXPECT_EQ(read("k.tprog"), read("e.tprog"));

  constexpr int n = 8, rows = 64;
  const auto bytes = [](const std::vector<int>& mantissas) {
    std::vector<std::uint8_t> out;
    for (const int m : mantissas) {
      out.push_back(static_cast<std::uint8_t>(m & 255));
      out.push_back(static_cast<std::uint8_t>(m >> 8));
    }
    return out;
  };
  std::vector<int> weights(n, 128);  // the bias, i.e. 0.5
  for (int i = 0; i < n * n; ++i) weights.push_back(i % (n + 1) == 0 ? -256 : 0);
  std::vector<int> inputs;
  for (int i = 0; i < rows * n; ++i) inputs.push_back(i - 200);
  inputs[0] = 64;   // 0.25
  inputs[1] = 512;  // 2
  write("w.bin", bytes(weights));
  write("x.bin", bytes(inputs));
  const Output run = tactus(
      "run --program k.tprog --arch pynqz1 --dram0 x.bin --dram1 w.bin --dump dram0=y.bin "
      "--stats s.json");
  ASSERT_EQ(run.code, 0) << run.err;
  std::vector<int> expected;
  for (const int x : inputs) expected.push_back(std::max(128 - x, 0));
  const std::vector<std::uint8_t> wanted = bytes(expected);
  EXPECT_EQ(read("y.bin").substr(rows * n * 2, wanted.size()),
            std::string(wanted.begin(), wanted.end()));
  EXPECT_EQ(expected[0], 64);
  EXPECT_EQ(expected[1], 0);

  const Json stats = Json::parse(read("s.json"));
  EXPECT_NE(page.find(fmt::format("it takes {} cycles", stats.at("cycles").get<int>())),
            std::string::npos);
  const Json& kinds = stats.at("accounting").at("instructions");
  std::size_t named = 0;
  for (const auto& [kind, figures] : kinds.items()) {
    const int count = figures.at("count");
    if (count == 0) continue;
    const std::string row =
        fmt::format("| `{}` | {} | {} |", kind, count, figures.at("head_cycles").get<int>());
    EXPECT_NE(page.find(row), std::string::npos) << row;
    ++named;
  }
  EXPECT_EQ(named, 7U);
}

TEST_F(Instructions, TheVisaKernelTakesThePagesCycles) {
  write("k.visaasm", std::string(dpas::worked_kernel()));
  write("a.bin", std::vector<std::uint8_t>(8 * 32, 1));
  write("b.bin", std::vector<std::uint8_t>(32 * 16, 2));
  const Output run = tactus(
      "run --machine pvc --program k.visaasm --bind PA=a.bin --bind PB=b.bin --bind PC=512 --save "
      "PC=c.bin --memory-port ideal --stats s.json");
  ASSERT_EQ(run.code, 0) << run.err;
  std::string sums;
  for (int i = 0; i < 8 * 16; ++i) sums += std::string("\x40\0\0\0", 4);
  EXPECT_EQ(read("c.bin"), sums);
  const int cycles = Json::parse(read("s.json")).at("cycles");
  EXPECT_NE(readme().find(fmt::format("the kernel takes {} cycles", cycles)), std::string::npos)
      << cycles;
}

}  // namespace
}  // namespace tactus
