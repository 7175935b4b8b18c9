// Ends of runs: a hang while a memory has pending responses, and a program after a cycle limit.
#include <gtest/gtest.h>

#include "isa/tcu/assembler.h"
#include "tests/support/differential.h"
#include "tests/support/run_record.h"

namespace tactus {
namespace {

/// 200 vectors do not fit a depth of 128: local memory takes 72 of them, so the second burst is
/// stuck while the third is being read.
TEST(EngineRunEnds, AgreeOnAHangWithABurstOnItsWay) {
  RandomProgram program;
  program.axi_data_bits = 32;
  program.architecture.local_depth = 128;
  program.instructions = tcu::assemble(program.architecture, R"(
      DataMove DRAM0(0) -> Local(0), 200
      DataMove Local(0) -> DRAM1(0), 1
    )",
                                       "hang", tcu::AssemblerChecks::encoding);
  for (const Cycle latency : {1U, 20U, 150U, 2000U}) {
    TcuSimulationConfig config = machine_config(program);
    config.read_latency = latency;
    config.engine = Engine::step;
    const RunRecord step = record_run(program, config, 0, false, observed_of(program));
    config.engine = Engine::fast;
    EXPECT_EQ(step.result.end, RunEnd::hang);
    EXPECT_EQ(difference(step, record_run(program, config, 0, false, observed_of(program))), "")
        << latency;
    config.engine = Engine::check;
    config.check_every = 1;
    EXPECT_EQ(difference(step, record_run(program, config, 0, false, observed_of(program))), "")
        << latency;
  }
}

/// A word of the first program that was not yet accepted is dropped.
TEST(EngineRunEnds, AProgramAfterACycleLimitBeginsWithItsFirstWord) {
  for (const Engine engine : {Engine::step, Engine::fast, Engine::check}) {
    RandomProgram program;
    TcuSimulationConfig config = machine_config(program);
    config.engine = engine;
    config.read_latency = 100;  // a word of the first program is pending at the limit
    TcuSimulation simulation(config);
    const auto assemble = [&](const char* text) {
      program.instructions = tcu::assemble(program.architecture, text, "text");
      return program.bytes();
    };
    TcuRunOptions options;
    options.max_cycles = 20;
    {
      const auto first = assemble("DataMove DRAM0(0) -> Local(0), 4\n.repeat 100\nNoOp\n.end\n");
      EXPECT_EQ(simulation.run(first, options).end, RunEnd::cycle_limit);
    }
    const auto second = assemble("Configure Tracepoint = 0x222\nNoOp\nNoOp\n");
    EXPECT_EQ(simulation.run(second).end, RunEnd::finished);
    EXPECT_EQ(simulation.system().tcu().decoder().registers().tracepoint, 0x222U);
  }
}

}  // namespace
}  // namespace tactus
