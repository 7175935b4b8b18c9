// Programs equal those of the reference compiler byte for byte, and compute the expected numbers.
#include <ostream>

#include <gtest/gtest.h>

#include "firmware/onnx/loader.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "isa/support/files.h"
#include "isa/support/sha256.h"
#include "isa/tcu/vectors_file.h"
#include "tests/compiler/frontend/graphs.h"
#include "tests/support/shared.h"

namespace tactus::compiler {
namespace {

const std::string speech = "golden/tcu/programs/speech_commands/";

std::vector<std::uint8_t> golden(const std::string& file) {
  return read_file(shared_folder() + "/" + file);
}

TEST(Golden, SpeechCommandsIsByteIdentical) {
  TACTUS_NEEDS_SHARED(speech + "speech_commands.onnx");
  const nn::Graph graph = nn::load_graph(shared_folder() + "/" + speech + "speech_commands.onnx");
  const tcu::Architecture arch =
      tcu::read_architecture(shared_folder() + "/" + speech + "speech_robot.tarch");
  Options options;
  options.compat = true;
  const Compiled compiled = compile(graph, arch, options);
  EXPECT_EQ(compiled.instructions, 80308U);
  EXPECT_TRUE(compiled.program == golden(speech + "speech_commands_onnx_speech_robot.tprog"));

  EXPECT_TRUE(compiled.constants == golden(speech + "speech_commands_onnx_speech_robot.tdata"));
}

TEST(Golden, SpeechCommandsOfOurOwnKeepsPaddingLanesAtZero) {
  TACTUS_NEEDS_SHARED(speech + "speech_commands.onnx");
  nn::Graph graph = nn::load_graph(shared_folder() + "/" + speech + "speech_commands.onnx");
  const tcu::Architecture arch =
      tcu::read_architecture(shared_folder() + "/" + speech + "speech_robot.tarch");
  const std::vector<std::uint8_t> wanted =
      golden(speech + "speech_commands_onnx_speech_robot.tdata");
  const Compiled compiled = compile(graph, arch);
  // Compares all constants but the weights of Resize, which (operator set 10) takes other samples
  // without compat.
  const std::size_t tail = (93937 - 175) * 16;
  ASSERT_GT(compiled.constants.size(), tail);
  EXPECT_TRUE(std::equal(wanted.end() - static_cast<std::ptrdiff_t>(tail), wanted.end(),
                         compiled.constants.end() - static_cast<std::ptrdiff_t>(tail)));
}

TEST(Golden, SpeechCommandsComputesTheGoldenOutput) {
  TACTUS_NEEDS_SHARED(speech + "speech_commands.onnx");
  const nn::Graph graph = nn::load_graph(shared_folder() + "/" + speech + "speech_commands.onnx");
  const tcu::Architecture arch =
      tcu::read_architecture(shared_folder() + "/" + speech + "speech_robot.tarch");
  Options options;
  options.compat = true;
  const Compiled compiled = compile(graph, arch, options);
  const std::vector<std::uint8_t> image =
      tcu::read_vectors(shared_folder() + "/" + speech + "input.csv", arch);
  const std::vector<float> pixels = unpack_tensor(compiled.input_layouts.at(0), arch, image);
  std::vector<float> wanted;
  for (const int raw :
       {-402, 672, -675, 855, -1376, -1664, -1030, -1032, -1062, -786, -3447, 312}) {
    wanted.push_back(static_cast<float>(raw) / 256.0F);
  }
  EXPECT_EQ(run(compiled, {{"input_1", pixels}}).at("dense_1"), wanted);
}

struct Resnet20 {
  std::string name;
  std::uint64_t local, accumulators;
  Strategy strategy;
  std::uint64_t instructions;
  std::string sha_begin, sha_end;
};

void PrintTo(const Resnet20& golden, std::ostream* out) { *out << golden.name; }

class GoldenResnet20 : public testing::TestWithParam<Resnet20> {};

/// The expected hashes are those of programs that the reference made (spec 0.2).
TEST_P(GoldenResnet20, IsByteIdentical) {
  const Resnet20& golden = GetParam();
  tcu::Architecture arch;
  arch.array_size = 32;
  arch.dram0_depth = arch.dram1_depth = 2097152;
  arch.local_depth = golden.local;
  arch.accumulator_depth = golden.accumulators;
  Options options;
  options.compat = true;
  options.strategy = golden.strategy;
  const nn::Network network = nn::build_resnet20v2(nn::default_zoo_seed);
  const Compiled compiled = compile(network.graph, arch, options);
  EXPECT_EQ(compiled.instructions, golden.instructions);
  EXPECT_EQ(compiled.constant_vectors, 18803U);
  EXPECT_EQ(compiled.true_macs, static_cast<std::uint64_t>(network.macs_on_input));
  EXPECT_EQ(compiled.macs_with_padding, static_cast<std::uint64_t>(network.macs));
  const std::string sha = sha256(compiled.program);
  EXPECT_EQ(sha.substr(0, 8), golden.sha_begin);
  EXPECT_EQ(sha.substr(64 - golden.sha_end.size()), golden.sha_end);
}

INSTANTIATE_TEST_SUITE_P(
    Programs, GoldenResnet20,
    testing::Values(
        Resnet20{"zcu104", 16384, 4096, Strategy::local_isolated, 50171, "b65c81dd", "7fcac"},
        Resnet20{"uram", 49152, 20480, Strategy::local_isolated, 50121, "66cb9584", "34627"},
        Resnet20{"uram_vars", 49152, 20480, Strategy::local_vars, 49941, "1fa1eeca", "f256"},
        Resnet20{"uram_consts", 49152, 20480, Strategy::local_consts, 50038, "e428c0ad", "a8517"},
        Resnet20{"uram_vars_and_consts", 49152, 20480, Strategy::local_vars_and_consts, 49858,
                 "61b9172d", "c45d"}),
    [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace tactus::compiler
