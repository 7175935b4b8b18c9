#include "firmware/config/port_memory.h"

#include "firmware/config/memory.h"
#include "isa/support/arbitration.h"

namespace tactus {

std::optional<DdrConfig> resolve_port_memory(const BoardValues& board) {
  // The memory is resolved as for a TCU. This machine has no banks; banks of one vector leave only
  // their base addresses to be checked.
  TcuSimulationConfig config;
  static_cast<BoardValues&>(config) = board;
  config.architecture.dram0_depth = config.architecture.dram1_depth = 1;
  // The instruction stream does not come from this memory.
  config.stream_model = StreamModel::ideal;
  if (config.board_memory) config.board_memory->stream.reset();
  resolve_memory(config);
  // Such a machine is alone with its memory.
  if (config.memory_model == MemoryModel::board) {
    check_arbitration(arbitration_text(config), 1, false, "the memory's arbitration ");
  }
  return config.resolved_ddr;
}

}  // namespace tactus
