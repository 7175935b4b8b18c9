// Compiled programs of the reference, if they are available in $TACTUS_SHARED or in ../shared
// beside the sources.
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>

#include <gtest/gtest.h>

#include "isa/tcu/assembler.h"
#include "isa/tcu/disassembler.h"
#include "tests/unit/isa/sample_architectures.h"

namespace tactus::tcu {
namespace {

namespace fs = std::filesystem;

fs::path source_folder() { return TACTUS_SOURCE_DIR; }

fs::path golden_folder() {
  const char* shared = std::getenv("TACTUS_SHARED");
  const fs::path root =
      shared != nullptr ? fs::path(shared) : source_folder().parent_path() / "shared";
  return root / "golden" / "tcu";
}

struct Program {
  fs::path path;
  std::string architecture;
};

/// A program's file name begins or ends with the name of its architecture.
std::vector<Program> golden_programs() {
  std::vector<Program> programs;
  if (!fs::is_directory(golden_folder())) return programs;
  for (const auto& entry : fs::recursive_directory_iterator(golden_folder())) {
    if (entry.path().extension() != ".tprog") continue;
    const std::string stem = entry.path().stem().string();
    for (const char* name : {"speech_robot", "zcu104", "pynqz1"}) {
      const std::string known = name;
      const bool before = stem.rfind(known + "_", 0) == 0;
      const bool after = stem.size() > known.size() &&
                         stem.compare(stem.size() - known.size(), known.size(), known) == 0;
      if (before || after) programs.push_back({entry.path(), known});
    }
  }
  return programs;
}

std::vector<std::uint8_t> bytes_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

Architecture architecture_of(const Program& program) {
  return read_architecture(
      (source_folder() / "configs" / "arch" / (program.architecture + ".tarch")).string());
}

class GoldenPrograms : public ::testing::Test {
 protected:
  void SetUp() override {
    programs_ = golden_programs();
    if (programs_.empty()) {
      GTEST_SKIP() << "no .tprog files below " << golden_folder() << "; set TACTUS_SHARED";
    }
  }
  std::vector<Program> programs_;
};

TEST_F(GoldenPrograms, RoundTripThroughText) {
  for (const Program& program : programs_) {
    const Architecture architecture = architecture_of(program);
    const std::vector<std::uint8_t> bytes = bytes_of(program.path);
    const std::string text = disassemble_program(architecture, bytes);
    EXPECT_EQ(assemble_bytes(architecture, text, program.path.string()), bytes) << program.path;
  }
}

TEST_F(GoldenPrograms, CompiledProgramsNeedNoRaw) {
  for (const Program& program : programs_) {
    if (program.path.string().find("random_programs") != std::string::npos) continue;
    const std::string text = disassemble_program(architecture_of(program), bytes_of(program.path));
    EXPECT_EQ(text.find("Raw"), std::string::npos) << program.path;
  }
}

TEST_F(GoldenPrograms, PassTheStrictCheck) {
  for (const Program& program : programs_) {
    const Architecture architecture = architecture_of(program);
    const InstructionLayout layout(architecture);
    std::size_t index = 0;
    for (const Instruction& instruction : decode_program(layout, bytes_of(program.path))) {
      ASSERT_EQ(check(architecture, layout, instruction), "") << program.path << " " << index;
      ++index;
    }
  }
}

}  // namespace
}  // namespace tactus::tcu
