#include "firmware/config/board_ddr.h"

#include <algorithm>

#include "firmware/config/memory.h"
#include "firmware/driver/common/memory_system.h"
#include "isa/support/arbitration.h"
#include "isa/support/error.h"
#include "isa/support/text.h"
#include "models/sim/clock_driver.h"

namespace tactus {

DdrMemory::Config ddr_memory_config(const Board& board, const std::vector<BoardPort>& ports) {
  if (!board.board_memory) {
    user_error("{}: the board has no \"memory\", so there is no DDR to simulate", board.path);
  }
  const std::string& arbitration = board.board_memory->arbitration;
  if (read_arbitration(arbitration).policy != Arbitration::Policy::ports) {
    user_error(
        "{}:/memory/arbitration: {} is by units of `tactus run`, which the ports of a DdrMemory do "
        "not belong to; allowed: ports",
        board.path, quote(arbitration));
  }
  TcuSimulationConfig simulation = board.simulation_config();
  simulation.memory_model = MemoryModel::board;
  resolve_memory(simulation, board.path + ":");
  DdrMemory::Config config;
  config.ddr = *simulation.resolved_ddr;
  for (const BoardPort& port : ports) {
    const auto& paths = board.board_memory->paths;
    const auto path = std::find_if(paths.begin(), paths.end(),
                                   [&](const auto& named) { return named.first == port.path; });
    if (path == paths.end()) {
      std::string known;
      for (const auto& named : paths) known += (known.empty() ? "" : ", ") + named.first;
      user_error("{}: the board's memory has no path \"{}\" for port {}; allowed: {}", board.path,
                 port.path, port.name, known);
    }
    DdrMemory::Port& made = config.ports.emplace_back();
    made.name = port.name;
    made.period = clock_period(board.clock_mhz);
    made.beat_bytes = board.axi_data_bits / 8;
    made.path = path_config(board, path->second, port.base, config.ddr.burst_bytes());
    made.controller_port = path->second.controller_port;
  }
  return config;
}

}  // namespace tactus
