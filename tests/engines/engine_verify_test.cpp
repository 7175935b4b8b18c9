// Engine verify finds what the fast engine would do wrong: a remembered edge that is spoilt and
// facts that are left out are reported with cycle, unit and member. And it has something to
// compare: most cycles of a program are known, and many lie in promised stretches.
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "isa/support/error.h"
#include "isa/tcu/assembler.h"
#include "tests/support/differential.h"
#include "tests/support/run_record.h"

namespace tactus {
namespace {

/// Every unit works, in several ways.
RandomProgram program_of_all_units() {
  RandomProgram program;
  program.architecture.local_depth = 512;
  program.architecture.accumulator_depth = 256;
  program.instructions = tcu::assemble(program.architecture, R"(
      DataMove DRAM0(0) -> Local(0), 100
      DataMove DRAM1(0)@2 -> Local(300), 100
      .repeat 6 k
        LoadWeights Local(300 + k), 9
        MatMul Local(0) -> Acc(0), 60
        MatMul.acc Local(k) -> Acc(0), 60
        LoadWeights.zeroes 3
        MatMul.zeroes Acc(100), 7
        SIMD R1 = Max(I, I), read Acc(3)
        SIMD O = Max(I, R1), read Acc(3), write Acc(7)
        DataMove Acc(0) -> Local(200), 40
        DataMove Local(200) -> DRAM0(512), 40
        DataMove Local(0) -> Acc(3), 30
        DataMove.acc Local(0) -> Acc(3), 30
      .end
    )",
                                       "all_units");
  return program;
}

TcuSimulationConfig verifying(const RandomProgram& program) {
  TcuSimulationConfig config = machine_config(program);
  config.engine = Engine::verify;
  config.read_latency = 3;
  return config;
}

/// What the run says, with `wrong` done to its verifier.
template <typename Wrong>
std::string outcome(const RandomProgram& program, const TcuSimulationConfig& config, Wrong wrong) {
  TcuSimulation simulation(config);
  load_windows(program, simulation);
  wrong(*simulation.system().verifier());
  try {
    (void)simulation.run(program.bytes());
  } catch (const InternalError& error) {
    return error.what();
  }
  return "no difference";
}

TEST(EngineVerify, KnowsMostCyclesAndFindsNothing) {
  const RandomProgram program = program_of_all_units();
  TcuSimulation simulation(verifying(program));
  load_windows(program, simulation);
  EXPECT_EQ(simulation.run(program.bytes()).end, RunEnd::finished);
  const TcuVerifier& verifier = *simulation.system().verifier();
  EXPECT_GT(verifier.known_cycles() * 4, simulation.now() * 3);
  EXPECT_GT(verifier.promised_cycles() * 4, simulation.now());
  EXPECT_EQ(simulation.system().evaluations(), simulation.system().units() * simulation.now());
}

TEST(EngineVerify, NamesAWrongEdge) {
  const RandomProgram program = program_of_all_units();
  const std::string text = outcome(program, verifying(program),
                                   [](TcuVerifier& verifier) { verifier.spoil_next_edge(); });
  EXPECT_NE(text.find("engine verify: cycle "), std::string::npos) << text;
  EXPECT_NE(text.find(": array.taken is "), std::string::npos) << text;
  EXPECT_NE(text.find("facts: array.control="), std::string::npos) << text;
}

/// The first difference among random programs, each on a machine of its own timing. All of them may
/// be needed, so the scale of tests does not count here.
template <typename Wrong>
std::string first_difference(bool extensions, Wrong wrong) {
  for (std::uint64_t seed = 18'000'000; seed < 18'000'300; ++seed) {
    RandomOptions options;
    options.hazards = Hazards::any;
    options.instructions = 60;
    options.extensions = extensions;
    const RandomProgram program = random_program(seed, options);
    TcuSimulationConfig config = verifying(program);
    Random random(seed);
    config.read_latency = random.pick<std::uint64_t>({1, 2, 20});
    const std::string text = outcome(program, config, wrong);
    if (text != "no difference") return text;
  }
  return "no difference";
}

/// Each group of facts, left out, is missed.
void expect_all_are_missed(const std::vector<std::vector<const char*>>& groups, bool extensions) {
  for (const std::vector<const char*>& group : groups) {
    const std::string text = first_difference(extensions, [&group](TcuVerifier& verifier) {
      for (const char* fact : group) EXPECT_TRUE(verifier.leave_out_fact(fact)) << fact;
    });
    EXPECT_EQ(text.rfind("engine verify: cycle ", 0), 0U) << group.front() << ": " << text;
    EXPECT_NE(text.find("is remembered of a cycle with the same facts; facts: "), std::string::npos)
        << group.front() << ": " << text;
  }
}

/// A forgotten fact is what the fast engine is most at risk of. Some facts tell the same in most
/// cycles, so that only all of a group matter; a few matter where a queue of 2N entries is full.
TEST(EngineVerify, FindsFactsThatAreLeftOut) {
  const std::vector<std::vector<const char*>> groups{
      {"decoder.instructions"},
      {"decoder.open_legs"},
      {"decoder.queued_legs"},
      {"decoder.last_legs"},
      {"decoder.dataflow"},
      {"decoder.host_port"},
      {"local.port_a.reads"},
      {"local.port_b.reads"},
      {"the TCU's inputs.instruction.valid"},
      {"the TCU's inputs.dram0.in.valid"},
      {"the TCU's inputs.dram0.out.ready"},
      {"array.control"},
      {"array.load"},
      {"array.zeroes"},
      {"array.drained"},
      {"array.offers"},
      {"local_router.W_last"},
      {"accumulators.control"},
      {"accumulators.step"},
      {"accumulators.done_legs", "accumulators.accumulator.done_legs"},
      {"accumulators.accumulator.memory.port_b.reads",
       "accumulators.accumulator.memory.port_b.in_flight"},
      {"accumulators.alu.stored", "accumulators.alu.stage1", "accumulators.alu.stage2"}};
  expect_all_are_missed(groups, false);
}

/// Those that only options move.
TEST(EngineVerify, FindsFactsOfExtensionsThatAreLeftOut) {
  expect_all_are_missed({{"decoder.open_legs"}}, true);
}

TEST(EngineVerify, KnowsItsFactsByName) {
  const RandomProgram program = program_of_all_units();
  EXPECT_EQ(
      outcome(program, verifying(program),
              [](TcuVerifier& verifier) { EXPECT_FALSE(verifier.leave_out_fact("array.x")); }),
      "no difference");
}

}  // namespace
}  // namespace tactus
