#include "firmware/config/port_memory.h"

#include "firmware/config/memory.h"

namespace tactus {

std::optional<DdrConfig> resolve_port_memory(const BoardValues& board) {
  // Resolves the memory as for a design whose banks have one vector each, because no second bank is
  // placed here.
  TcuSimulationConfig config;
  static_cast<BoardValues&>(config) = board;
  config.architecture.dram0_depth = config.architecture.dram1_depth = 1;
  // the instruction stream does not come from this memory
  config.stream_model = StreamModel::ideal;
  if (config.board_memory) config.board_memory->stream.reset();
  resolve_memory(config);
  return config.resolved_ddr;
}

}  // namespace tactus
