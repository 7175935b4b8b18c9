// Engine check on the memory of a board.
#include <gtest/gtest.h>

#include <algorithm>

#include "firmware/config/board.h"
#include "firmware/config/config_files.h"
#include "firmware/config/memory.h"
#include "firmware/driver/tcu/simulation.h"
#include "isa/support/error.h"
#include "tests/support/differential.h"
#include "tests/support/program.h"
#include "tests/support/repeated_program.h"
#include "tests/support/test_scale.h"

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

/// A board's machine with another architecture and width.
TcuSimulationConfig machine_on(const Board& board, const RandomProgram& program, Random& random) {
  TcuSimulationConfig config = board.simulation_config();
  config.architecture = program.architecture;
  config.axi_data_bits = program.axi_data_bits;
  config.memory_model = MemoryModel::board;
  if (config.board_memory->stream && random.chance(40)) config.stream_model = StreamModel::board;
  if (random.chance(30)) config.feed_gap = random.below(5);
  config.engine = Engine::check;
  config.check_every = 1;
  resolve_memory(config);
  return config;
}

/// True if the program's addresses are in the DRAM.
bool fits(const RandomProgram& program, const TcuSimulationConfig& config) {
  const std::uint64_t end = std::min(config.resolved_ddr->bytes(), std::uint64_t{1} << 32);
  return std::all_of(program.windows.begin(), program.windows.end(), [&](const auto& window) {
    return config.board_memory->base[window.port] + window.address + window.bytes.size() <= end;
  });
}

/// Long transfers, with strides, as networks have them.
void add_transfers(Random& random, RandomProgram& program) {
  const tcu::Architecture& architecture = program.architecture;
  Program moves(architecture);
  for (unsigned i = 0; i < 12; ++i) {
    const auto port = static_cast<unsigned>(random.below(2));
    const std::uint64_t depth = port == 0 ? architecture.dram0_depth : architecture.dram1_depth;
    const std::uint64_t most = std::min({depth, architecture.local_depth, std::uint64_t{256}});
    const std::uint64_t n = random.chance(30) ? most : random.range(1, most);
    const Program::Operand dram = {random.below(depth - n + 1), 0};
    if (random.chance(60)) {
      moves.read_dram(port, n, {0, 0}, dram);
    } else {
      moves.write_dram(port, n, {0, 0}, dram);
    }
  }
  const tcu::InstructionLayout layout(architecture);
  for (const tcu::Instruction& move : tcu::decode_program(layout, moves.bytes())) {
    program.instructions.push_back(move);
  }
}

/// Engine check, which evaluates what the fast engine skips, finds no difference: random programs
/// with any data type and every width of the AXI ports, on the memory of every board. Each program
/// runs twice, so that the second run has the intervals of the first.
TEST(EngineBoards, RandomProgramsWithoutFalseAlarm) {
  const std::vector<std::string> names = config_names("boards");
  for (const std::uint64_t seed : test_seeds(48'000'000, 120)) {
    Random random(seed);
    const Board board = read_board(names[seed % names.size()]);
    RandomProgram program = random_program(seed);
    if (random.chance(70)) add_transfers(random, program);
    if (random.chance(50)) program = repeated(random, program, 8);
    const TcuSimulationConfig config = machine_on(board, program, random);
    if (!fits(program, config)) continue;
    TcuSimulation simulation(config);
    load_windows(program, simulation);
    for (unsigned run = 0; run < 2; ++run) {
      try {
        const RunEnd end = simulation.run(program.bytes()).end;
        if (end != RunEnd::finished) break;
      } catch (const InternalError& error) {
        FAIL() << "seed " << seed << ", " << board.name << ", run " << run << ": " << error.what()
               << "\n"
               << program.describe();
      }
    }
  }
}

}  // namespace
}  // namespace tactus
