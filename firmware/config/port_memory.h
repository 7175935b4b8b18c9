// The board's memory behind the single port of a machine that is not a TCU.
#pragma once

#include <optional>

#include "isa/dram/ddr_config.h"
#include "isa/support/board_values.h"

namespace tactus {

/// Returns the DRAM of a board whose memory model is `board`, and nothing for the memory of fixed
/// latency. The port uses the path and base of the board's dram0. Throws UserError if clocks,
/// preset and base do not fit together.
[[nodiscard]] std::optional<DdrConfig> resolve_port_memory(const BoardValues& board);

}  // namespace tactus
