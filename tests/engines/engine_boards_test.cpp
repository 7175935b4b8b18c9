// Engine check on the memory of a board.
#include <gtest/gtest.h>

#include "firmware/config/board.h"
#include "firmware/config/memory.h"
#include "firmware/driver/tcu/simulation.h"
#include "tests/support/program.h"

namespace tactus {
namespace {

/// The intervals of this transfer fall into several places of a page; none of its bursts crosses
/// one.
TEST(EngineBoards, OneDataMoveBehind32Bits) {
  Board board = read_board("zcu104");
  board.memory_model = MemoryModel::board;
  TcuSimulationConfig config = board.simulation_config();
  config.axi_data_bits = 32;
  config.engine = Engine::check;
  config.check_every = 1;
  resolve_memory(config);
  TcuSimulation simulation(config);
  Program program(config.architecture);
  program.read_dram(1, 256, {0, 0}, {0, 0}).no_op(1);
  EXPECT_EQ(simulation.run(program.bytes()).end, RunEnd::finished);
}

}  // namespace
}  // namespace tactus
