// The board's memory behind the one port of a machine that is no TCU.
#pragma once

#include <optional>

#include "isa/dram/ddr_config.h"
#include "isa/support/board_values.h"

namespace tactus {

/// The DRAM of a board whose memory model is `board`; none with the memory of fixed latency. The
/// port has the path and the base of the board's dram0. Throws UserError for clocks, presets and
/// bases that do not fit.
[[nodiscard]] std::optional<DdrConfig> resolve_port_memory(const BoardValues& board);

}  // namespace tactus
