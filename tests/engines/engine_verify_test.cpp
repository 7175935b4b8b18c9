// Engine verify finds what the fast engine would do wrong: a remembered edge that is spoilt and
// facts that are left out are reported with cycle, unit and member. And it has something to
// compare: most cycles of a program are known, and many lie in promised stretches.
#include <string>

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
std::string outcome(const RandomProgram& program, Wrong wrong) {
  TcuSimulation simulation(verifying(program));
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
  const std::string text =
      outcome(program_of_all_units(), [](TcuVerifier& verifier) { verifier.spoil_next_edge(); });
  EXPECT_NE(text.find("engine verify: cycle "), std::string::npos) << text;
  EXPECT_NE(text.find(": array.taken is "), std::string::npos) << text;
  EXPECT_NE(text.find("facts: array.control="), std::string::npos) << text;
}

/// A forgotten fact is what the fast engine is most at risk of.
TEST(EngineVerify, FindsEveryFactThatIsLeftOut) {
  const RandomProgram program = program_of_all_units();
  for (const char* fact :
       {"decoder.open_legs", "decoder.full_legs", "decoder.last_legs", "decoder.dataflow",
        "decoder.host_port", "local.port_a.reads", "array.control", "array.load", "array.drained",
        "array.offers", "local_router.R_last", "local_router.W_route", "accumulators.control",
        "accumulators.step", "accumulators.accumulator.lock_held",
        "accumulators.accumulator.memory.port_b.reads", "accumulators.alu.stage1",
        "the TCU's inputs.dram0.in.valid"}) {
    const std::string text = outcome(program, [fact](TcuVerifier& verifier) {
      EXPECT_TRUE(verifier.leave_out_fact(fact)) << fact;
    });
    EXPECT_NE(text.find("is remembered of a cycle with the same facts"), std::string::npos)
        << fact << ": " << text;
  }
  EXPECT_EQ(
      outcome(program,
              [](TcuVerifier& verifier) { EXPECT_FALSE(verifier.leave_out_fact("array.x")); }),
      "no difference");
}

}  // namespace
}  // namespace tactus
