// Lowering to the tensor compute unit: simulator and interpreter agree bit for bit, and the counts
// are those of the programs.
#include <gtest/gtest.h>

#include <map>
#include <string>

#include <nlohmann/json.hpp>

#include "firmware/compiler/stripe/text.h"
#include "firmware/compiler/stripe/verify.h"
#include "isa/support/error.h"
#include "tests/stripe/golden.h"
#include "tests/stripe/lower_run.h"

namespace tactus::stripe::test {
namespace {

/// Values of a small range and three fraction bits, so that products need rounding.
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

TEST(Lower, CountsAreThoseOfThePeer) {
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

}  // namespace
}  // namespace tactus::stripe::test
