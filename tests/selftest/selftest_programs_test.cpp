// The embedded assembly programs and the benchmark.
#include "firmware/selftest/tcu/programs.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "firmware/selftest/tcu/gemm_measurement.h"
#include "isa/support/error.h"
#include "tests/selftest/machines.h"

namespace tactus {
namespace {

TEST(SelftestPrograms, TheFilesOfTheFolderAreBuiltIn) {
  std::vector<std::string> names;
  for (const auto& entry :
       std::filesystem::directory_iterator(TACTUS_SOURCE_DIR "/firmware/programs/tcu")) {
    if (entry.path().extension() == ".tasm") names.push_back(entry.path().stem().string());
  }
  std::sort(names.begin(), names.end());
  std::vector<std::string> embedded;
  for (const EmbeddedProgram& program : embedded_programs()) {
    embedded.emplace_back(program.name);
    std::ifstream file(
        fmt::format("{}/firmware/programs/tcu/{}.tasm", TACTUS_SOURCE_DIR, program.name));
    std::stringstream text;
    text << file.rdbuf();
    EXPECT_EQ(std::string(program.source), text.str()) << program.name;
  }
  EXPECT_EQ(embedded, names);
  ASSERT_EQ(embedded_dais_programs().size(), 1U);
  std::ifstream file(TACTUS_SOURCE_DIR "/firmware/programs/tcu/classifier.json");
  std::stringstream text;
  text << file.rdbuf();
  EXPECT_EQ(std::string(embedded_dais_program("classifier")), text.str());
}

/// The programs assemble unchanged, so a user can assemble them on the command line.
TEST(SelftestPrograms, AssembleStrictlyWithTheirOwnValues) {
  const tcu::Architecture classifier =
      tcu::read_architecture(TACTUS_SOURCE_DIR "/firmware/programs/tcu/classifier.tarch");
  for (const char* name : {"pynqz1", "cmoda7", "ultra96v2", "zcu104", "zcu104_uram"}) {
    tcu::Architecture architecture = preset(name).architecture;
    architecture.dais_blocks = classifier.dais_blocks;
    for (const EmbeddedProgram& program : embedded_programs()) {
      // bench_gemm keeps 30 tiles of A in local memory, which some of the other memories cannot
      // hold.
      if (program.name == "bench_gemm" && std::string_view(name) != "pynqz1") continue;
      EXPECT_NO_THROW((void)assemble_program(architecture, program.name))
          << name << " " << program.name;
    }
  }
}

TEST(SelftestPrograms, ValuesReplaceTheFirstDefinition) {
  const std::string source = program_source("sampling", {{"INTERVAL", 123}});
  EXPECT_NE(source.find("\n.equ INTERVAL 123\n"), std::string::npos);
  EXPECT_EQ(source.find(".equ INTERVAL 10"), std::string::npos);
  EXPECT_THROW((void)program_source("sampling", {{"NOTHING", 1}}), InternalError);
  EXPECT_THROW((void)program_source("nothing"), InternalError);
}

/// The program equals the one that the compiler makes of this network for array size 2, all depths
/// 256, no strides. Source: toolchain spec section 0.2.
TEST(SelftestPrograms, XorIsTheCompilersProgramByteForByte) {
  TcuSimulationConfig config = uniform(tcu::DataType::fp16bp8, 2, 256, 32);
  config.architecture.stride0_depth = config.architecture.stride1_depth = 1;
  std::string hex;
  for (const std::uint8_t byte : assemble_program(config.architecture, "xor")) {
    hex += fmt::format("{:02x}", byte);
  }
  EXPECT_EQ(hex,
            "00000222030000200002003003000010000009400100"
            "7a430401002c04010021000302220301002000020030030000100400002c04000021");
}

TEST(GemmBench, KeepsThePynqArrayBusyForAWhile) {
  TcuSimulation simulation(preset("pynqz1"));
  const GemmResult result = run_gemm(simulation);
  EXPECT_EQ(result.wrong, "");
  EXPECT_EQ(result.checked, result.rows);
  EXPECT_EQ(result.run.array_runs, result.rows * result.shape.inner);
  EXPECT_EQ(result.multiply_accumulates, result.run.array_runs * 64);
  EXPECT_GT(result.run.cycles, 100000U);
  EXPECT_GT(result.array_busy, 0.7);
}

TEST(GemmBench, EveryPresetHasAShape) {
  for (const char* name :
       {"artya7100t", "cmoda7", "speech_robot", "ultra96v2", "zcu104", "zcu104_uram"}) {
    const tcu::Architecture architecture = preset(name).architecture;
    EXPECT_EQ(gemm_obstacle(architecture, gemm_shape(architecture)), "") << name;
  }
}

TEST(GemmBench, SmallAndLargeArrays) {
  for (const TcuSimulationConfig& config :
       {uniform(tcu::DataType::fp16bp8, 2, 64, 32), uniform(tcu::DataType::fp8bp4, 4, 256, 32),
        uniform(tcu::DataType::fp32bp16, 12, 300, 128),
        uniform(tcu::DataType::fp16bp8, 128, 1024, 1024)}) {
    TcuSimulation simulation(config);
    const GemmResult result = run_gemm(simulation);
    EXPECT_EQ(result.wrong, "") << config.architecture.array_size;
    EXPECT_GT(result.checked, 0U);
  }
}

TEST(GemmBench, TooSmallMemoriesAreAUserError) {
  EXPECT_THROW((void)gemm_shape(uniform(tcu::DataType::fp16bp8, 8, 8, 64).architecture), UserError);
  TcuSimulation simulation(preset("pynqz1"));
  EXPECT_THROW((void)run_gemm(simulation, {4096, 1, 1}), UserError);
  EXPECT_THROW((void)run_gemm(simulation, {1, 1, 1}), UserError);
}

}  // namespace
}  // namespace tactus
