// Engine check on the memories of boards: for every AXI width and data type, long transfers from
// any place in a page have the same registers after the same intervals.
#include <gtest/gtest.h>

#include "firmware/config/board.h"
#include "firmware/config/memory.h"
#include "firmware/driver/tcu/simulation.h"
#include "isa/support/error.h"
#include "tests/support/program.h"
#include "tests/support/random_program.h"
#include "tests/support/test_scale.h"

namespace tactus {
namespace {

/// The configuration of a board with another width and data type; nothing if they do not fit.
std::optional<TcuSimulationConfig> board_with(const char* name, unsigned axi_data_bits,
                                              tcu::DataType type) {
  Board board = read_board(name);
  board.memory_model = MemoryModel::board;
  TcuSimulationConfig config = board.simulation_config();
  config.architecture.data_type = type;
  config.axi_data_bits = axi_data_bits;
  config.engine = Engine::check;
  config.check_every = 1;
  try {
    resolve_memory(config);
    check_axi_width(config.architecture, axi_data_bits);
  } catch (const UserError&) {
    return {};
  }
  return config;
}

std::vector<std::uint8_t> long_transfers(Random& random, const tcu::Architecture& architecture) {
  Program program(architecture);
  for (unsigned i = 0; i < 3; ++i) {
    const std::uint64_t n = random.pick<std::uint64_t>({256, 256, 200, 67});
    const std::uint64_t place = random.chance(50) ? 0 : random.below(70);
    if (random.chance(60)) {
      program.read_dram(random.below(2), n, {0, 0}, {place, 0});
    } else {
      program.write_dram(random.below(2), n, {0, 0}, {place, 0});
    }
    program.no_op(1);
  }
  return program.bytes();
}

TEST(EngineBoards, KnownIntervalsEndInTheSameStates) {
  Random random(48'000'000);
  unsigned runs = 0;
  for (const char* board : {"zcu104", "arty_a7_35", "ultra96_v2"}) {
    for (const unsigned bits : {32U, 64U, 128U, 256U}) {
      for (const tcu::DataType type : {tcu::DataType::fp16bp8, tcu::DataType::fp32bp16}) {
        const auto config = board_with(board, bits, type);
        if (!config) continue;
        TcuSimulation simulation(*config);
        const auto program = long_transfers(random, config->architecture);
        std::string error;
        try {
          EXPECT_EQ(simulation.run(program).end, RunEnd::finished);
        } catch (const InternalError& fault) {
          error = fault.what();
        }
        EXPECT_EQ(error, "") << board << ", " << bits << " bits";
        ++runs;
      }
    }
  }
  EXPECT_GT(runs, 15U);
}

/// The intervals of this transfer at 32 bits fall into several places of a page.
TEST(EngineBoards, OneDataMoveBehind32Bits) {
  const auto config = board_with("zcu104", 32, tcu::DataType::fp16bp8);
  ASSERT_TRUE(config);
  TcuSimulation simulation(*config);
  Program program(config->architecture);
  program.read_dram(1, 256, {0, 0}, {0, 0}).no_op(1);
  EXPECT_EQ(simulation.run(program.bytes()).end, RunEnd::finished);
}

}  // namespace
}  // namespace tactus
