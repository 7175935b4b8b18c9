// Lowering to the tensor compute unit: simulator and interpreter agree bit for bit, and the counts
// of work equal those of the programs.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "firmware/compiler/stripe/text.h"
#include "firmware/compiler/stripe/verify.h"
#include "firmware/reference/reference.h"
#include "firmware/zoo/zoo.h"
#include "isa/support/error.h"
#include "tests/stripe/golden.h"
#include "tests/stripe/lower_run.h"
#include "tests/stripe/random_program.h"

namespace tactus::stripe::test {
namespace {

/// Returns inputs of a small range with three fraction bits, so that products need rounding.
Tensors inputs_of(const Program& program) {
  Tensors inputs = sample_inputs(program);
  for (auto& [name, tensor] : inputs) {
    for (double& value : tensor) value = value / 8 + (value > 0 ? 1.0 / 256 : 0);
  }
  return inputs;
}

std::vector<Case> tcu_cases() {
  std::vector<Case> cases;
  for (Case& one : golden_cases()) {
    if (one.name.substr(0, 4) == "tcu_") cases.push_back(std::move(one));
  }
  return cases;
}

Program last_step(const Case& one) {
  const Step& step = one.steps.back();
  Program program = read_program(read(step.protobuf), step.protobuf);
  verify(program, step.protobuf);
  return program;
}

std::uint32_t array_size_of(const Case& one) {
  return one.name.find("ws16") != std::string::npos ? 16 : 8;
}

TEST(Lower, SimulatorAndInterpreterAgreeOnEveryProgramForTheUnit) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  const std::vector<Case> cases = tcu_cases();
  ASSERT_GE(cases.size(), 6U);
  for (const Case& one : cases) {
    SCOPED_TRACE(one.name);
    const Program program = last_step(one);
    for (const bool reuse : {true, false}) {
      compiler::LowerOptions options;
      options.reuse = reuse;
      const auto lowered =
          compiler::lower(program, small_architecture(array_size_of(one)), options);
      const LoweredRun run = run_lowered(lowered, inputs_of(program));
      ASSERT_FALSE(run.simulated.empty());
      EXPECT_EQ(run.simulated, run.interpreted);
      bool any = false;
      for (const auto& [name, tensor] : run.simulated) {
        for (const double value : tensor) any = any || value != 0;
      }
      EXPECT_TRUE(any);
    }
  }
}

TEST(Lower, InstructionCountsEqualThoseOfTheOtherImplementation) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  std::size_t compared = 0;
  for (const Case& one : tcu_cases()) {
    SCOPED_TRACE(one.name);
    const std::string path = golden_folder() + "/peer_070/" + one.name + "/counts.json";
    const auto expected = nlohmann::json::parse(read(path)).at("leaves");
    compiler::LowerOptions options;
    options.complete = false;
    const Program program = last_step(one);
    if (one.name.find("stencil_only") != std::string::npos) continue;
    const auto lowered = compiler::lower(program, small_architecture(array_size_of(one)), options);
    for (const compiler::BlockCounts& counts : lowered.counts) {
      const std::string kind = counts.device.empty() ? "-" : counts.device;
      const std::string name = counts.name.substr(0, counts.name.find('('));
      SCOPED_TRACE(kind + ":" + name);
      ASSERT_TRUE(expected.contains(kind + ":" + name));
      const auto& want = expected.at(kind + ":" + name);
      EXPECT_EQ(counts.invocations, want.at("invocations").get<std::uint64_t>());
      EXPECT_EQ(counts.points, want.at("points").get<std::uint64_t>());
      EXPECT_EQ(counts.slots, want.at("slots").get<std::uint64_t>());
      ++compared;
    }
    EXPECT_EQ(lowered.counts.size(), expected.size());
  }
  EXPECT_GE(compared, 20U);
}

/// Random kernels: halos, strides, ragged sizes, pools, sums. If a program cannot be lowered, the
/// error names the block.
TEST(Lower, SimulatorAndInterpreterAgreeOnRandomPrograms) {
  std::size_t lowered_programs = 0, refused = 0;
  for (std::uint64_t seed = 1; seed <= 80; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    const Program program = random_program(random);
    tcu::Architecture architecture =
        small_architecture(seed % 3 == 0   ? 16
                           : seed % 3 == 1 ? 4
                                           : 8,
                           pick(random, 64, 512), pick(random, 32, 128));
    compiler::LoweredStripe lowered;
    try {
      lowered = compiler::lower(program, architecture);
    } catch (const UserError& error) {
      EXPECT_NE(std::string(error.what()).find("lock \""), std::string::npos) << error.what();
      ++refused;
      continue;
    }
    ++lowered_programs;
    const LoweredRun run = run_lowered(lowered, inputs_of(program));
    EXPECT_EQ(run.simulated, run.interpreted) << print(program);
  }
  EXPECT_GE(lowered_programs, 50U) << refused << " were refused";
}

// ---- networks -----------------------------------------------------------------------------------

/// Checks a network. Outputs equal the interpreter's bit for bit. The root mean square difference
/// to float must be within 0.05 of the largest value, which is the limit for the compiler of
/// layers, or for a large network within that compiler's own difference. The interpreter takes
/// minutes for large networks, so it runs for these only with TACTUS_LARGE_MODELS.
void check_network(const std::string& name, const tcu::Architecture& architecture,
                   bool large = false) {
  const bool interpreted = !large || std::getenv("TACTUS_LARGE_MODELS") != nullptr;
  SCOPED_TRACE(name + " on an array of " + std::to_string(architecture.array_size));
  const nn::Network network = nn::zoo_entry(name).build(1);
  const compiler::ViaStripe via = compiler::compile_via_stripe(network.graph, architecture);
  nn::Values values;
  std::map<std::string, std::vector<float>> inputs;
  for (const nn::ValueInfo& info : network.graph.inputs) {
    values[info.name] = nn::random_input(info, 1);
    inputs[info.name] = values[info.name].floats;
  }
  const LoweredRun run = interpreted ? run_via(via, inputs) : simulate_model(via.model, inputs);
  if (interpreted) {
    EXPECT_EQ(run.simulated, run.interpreted);
  }
  const nn::Values reference = nn::run_reference(network.graph, values);
  const auto rms = [&](const Tensor& simulated, const std::vector<float>& real) {
    EXPECT_EQ(simulated.size(), real.size());
    double squares = 0;
    for (std::size_t i = 0; i < real.size(); ++i) {
      squares += (simulated[i] - real[i]) * (simulated[i] - real[i]);
    }
    return std::sqrt(squares / static_cast<double>(real.size()));
  };
  const Tensors other =
      large ? simulate_model(compiler::compile(network.graph, architecture), inputs).simulated
            : Tensors{};
  for (const auto& [tensor, simulated] : run.simulated) {
    std::string compared = tensor;  // tensor before the part that is left to the host
    for (const compiler::HostStep& step : via.model.host_steps) {
      if (step.output == tensor) compared = network.graph.producer(tensor)->inputs[0];
    }
    const std::vector<float>& real = reference.at(compared).floats;
    double allowed = 1;
    for (const float value : real) allowed = std::max(allowed, std::abs(double{value}));
    allowed *= 0.05;
    // In large networks rounding errors of many layers add up, with any way of compiling.
    if (large) allowed = std::max(allowed, 1.05 * rms(other.at(tensor), real));
    EXPECT_LE(rms(simulated, real), allowed);
  }
}

TEST(Lower, SmallNetworksFromOnnx) {
  for (const std::uint32_t n : {4U, 8U, 12U, 16U}) {
    for (const char* name : {"mlp", "cnn", "csp"}) {
      check_network(name, small_architecture(n));
    }
  }
}

/// Runs with the array sizes of the boards.
class ResNet20 : public testing::TestWithParam<std::uint32_t> {};

TEST_P(ResNet20, FromOnnx) {
  tcu::Architecture architecture = small_architecture(GetParam(), 8192, 2048);
  architecture.dram0_depth = architecture.dram1_depth = 1 << 20;
  check_network("resnet20v2", architecture);
}

INSTANTIATE_TEST_SUITE_P(Lower, ResNet20, testing::Values(4, 8, 16, 32),
                         [](const auto& tested) { return "N" + std::to_string(tested.param); });

TEST(Lower, YoloTinyFromOnnx) {
  tcu::Architecture architecture = small_architecture(16, 20480, 4096);
  architecture.dram0_depth = architecture.dram1_depth = 1 << 20;
  check_network("yolov4-tiny-192", architecture, true);
}

}  // namespace
}  // namespace tactus::stripe::test
