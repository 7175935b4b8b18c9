// Results of programs equal PlaidML's, before and after every pass of PlaidML.
#include "firmware/compiler/stripe/interpret.h"

#include <gtest/gtest.h>

#include <cmath>

#include "firmware/compiler/stripe/text.h"
#include "firmware/compiler/stripe/verify.h"
#include "golden.h"
#include "isa/support/error.h"

namespace tactus::stripe::test {
namespace {

constexpr double most_work = 5e6;

TEST(StripeInterpret, ProgramsComputeTheSameAfterEveryPass) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  std::size_t compared = 0;
  for (const Case& one : golden_cases()) {
    const Program first = read_protobuf_text(read(one.steps[0].protobuf), one.steps[0].protobuf);
    if (work_of(first) > most_work) continue;
    const Tensors inputs = sample_inputs(first);
    const Tensors expected = interpret(first, inputs);
    if (!one.steps[0].outputs.empty()) {
      EXPECT_EQ(expected, read_outputs(one.steps[0].outputs)) << one.name;
      ++compared;
    }
    for (const Step& step : one.steps) {
      const Program program = read_protobuf_text(read(step.protobuf), step.protobuf);
      if (wrong_upstream(one, step)) continue;
      Tensors outputs;
      ASSERT_NO_THROW(outputs = interpret(program, inputs)) << step.text;
      EXPECT_EQ(outputs, expected) << step.text;
      ++compared;
    }
  }
  EXPECT_GE(compared, 200U);
}

TEST(StripeInterpret, TheOrderOfPositionsMakesNoDifference) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  for (const Case& one : golden_cases()) {
    const Program first = read_protobuf_text(read(one.steps[0].protobuf), one.steps[0].protobuf);
    if (work_of(first) > most_work / 10) continue;
    const Tensors inputs = sample_inputs(first);
    const Tensors expected = interpret(first, inputs);
    for (const Step& step : one.steps) {
      if (wrong_upstream(one, step)) continue;
      const Program program = read_protobuf_text(read(step.protobuf), step.protobuf);
      InterpretOptions options;
      options.shuffle_seed = 7;
      options.check_conflicts = true;
      Tensors outputs;
      ASSERT_NO_THROW(outputs = interpret(program, inputs, options)) << step.text;
      EXPECT_EQ(outputs, expected) << step.text;
    }
  }
}

/// PlaidML's hand-written fragments give the results that PlaidML's tests expect. Two fragments add
/// to the previous contents of an `out` view, which programs must not rely on; one calls an
/// external function.
TEST(StripeInterpret, HandWrittenFragments) {
  TACTUS_NEEDS_GOLDEN_STRIPE();
  std::size_t count = 0;
  for (const std::string& path : golden_files("program.block.pbtxt")) {
    const std::string folder = path.substr(0, path.rfind('/') + 1);
    if (folder.find("/JitExternal") != std::string::npos ||
        folder.find("_JitExternal") != std::string::npos) {
      continue;
    }
    const Program program = read_protobuf_text(read(path), path, true);
    EXPECT_NO_THROW(verify(program, path, true));
    const auto [inputs, expected] = fragment_data(folder + "data.json");
    Tensors outputs;
    ASSERT_NO_THROW(outputs = interpret(program, inputs)) << path;
    const bool differs = folder.find("JitExpSub2") != std::string::npos;
    bool same = true;
    for (const Element& element : expected) {
      const double value = outputs.at(element.buffer).at(element.index);
      same = same && std::abs(value - element.value) <= 1e-5 * std::abs(element.value) + 1e-6;
    }
    ASSERT_FALSE(expected.empty()) << path;
    EXPECT_EQ(same, !differs) << path;
    ++count;
  }
  EXPECT_GE(count, 12U);
}

}  // namespace
}  // namespace tactus::stripe::test
