// The memory of a board as a SystemC module.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/config/board.h"
#include "firmware/driver/common/ddr_memory.h"

namespace tactus {

/// A port of a DdrMemory that has the path of one of the board's memory ports.
struct BoardPort {
  std::string name;        ///< of the port in the SystemC design
  std::string path;        ///< of the board's file, /memory/paths
  std::uint64_t base = 0;  ///< byte of the DRAM at address 0 of the port's socket
};

/// Returns the configuration of a board's memory with these ports, each for an initiator with the
/// board's clock and the width of its AXI. Several ports may have one path. Throws UserError if the
/// board describes no memory or has no path of that name.
[[nodiscard]] DdrMemory::Config ddr_memory_config(const Board& board,
                                                  const std::vector<BoardPort>& ports);

}  // namespace tactus
