#include "firmware/config/port_memory.h"

#include "firmware/config/memory.h"

namespace tactus {

std::optional<DdrConfig> resolve_port_memory(const BoardValues& board) {
  // As for a design whose banks have a vector each: nobody lays out two banks here.
  TcuSimulationConfig config;
  static_cast<BoardValues&>(config) = board;
  config.architecture.dram0_depth = config.architecture.dram1_depth = 1;
  config.stream_model = StreamModel::ideal;  // instructions do not come from there
  if (config.board_memory) config.board_memory->stream.reset();
  resolve_memory(config);
  return config.resolved_ddr;
}

}  // namespace tactus
