// Hangs while a memory still owes later answers: both engines give up in the same cycle.
#include <gtest/gtest.h>

#include "isa/tcu/assembler.h"
#include "tests/support/differential.h"
#include "tests/support/run_record.h"

namespace tactus {
namespace {

/// 200 vectors do not fit 128: local memory takes 72 of them, so that the second burst stays where
/// it is while the third is on its way.
TEST(EnginesMore, AgreeOnAHangWithABurstOnItsWay) {
  RandomProgram program;
  program.axi_data_bits = 32;
  program.architecture.local_depth = 128;
  program.instructions = tcu::assemble(program.architecture, R"(
      DataMove DRAM0(0) -> Local(0), 200
      DataMove Local(0) -> DRAM1(0), 1
    )",
                                       "hang", tcu::AssemblerChecks::encoding);
  for (const Cycle latency : {1U, 20U, 150U, 2000U}) {
    MachineConfig config = machine_config(program);
    config.read_latency = latency;
    config.engine = Engine::step;
    const RunRecord step = record_run(program, config, 0, false);
    config.engine = Engine::fast;
    EXPECT_EQ(step.result.end, RunEnd::hang);
    EXPECT_EQ(difference(step, record_run(program, config, 0, false)), "") << latency;
  }
}

}  // namespace
}  // namespace tactus
