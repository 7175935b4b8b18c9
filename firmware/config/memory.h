// Resolves and checks the memory of a board.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/driver/tcu/simulation.h"

namespace tactus {

/// An error in the memory of a board, or in its combination with an architecture.
struct MemoryProblem {
  std::string path;    ///< JSON path relative to the board
  std::string what;    ///< description and allowed values
  std::string option;  ///< option that replaced the board's value; empty: none
};

/// Checks that clocks, DRAM, banks and architecture fit together. Empty: they do.
[[nodiscard]] std::vector<MemoryProblem> memory_problems(const BoardValues& board,
                                                         const tcu::Architecture& architecture);

/// If a DRAM replaces the board's (BoardValues::ddr) and the banks do not fit at the board's
/// addresses, moves them: one behind the other from byte 0 on, the program behind both. If the
/// program is not read from this memory and its address lies beyond the DRAM, removes that address.
void place_banks(BoardValues& board, const tcu::Architecture& architecture);

/// Memory for a DRAM on a board that describes none: each port has the design's clock, the width of
/// its AXI, and no latencies of its own.
[[nodiscard]] BoardMemory plain_memory(unsigned axi_data_bits);

/// Resolves the DRAM of a configuration that uses the board's memory, places its banks as
/// place_banks() does, and checks the result. Does nothing with the memory of fixed latency. Throws
/// UserError, which names the option, or the JSON path behind `where`: the origin of the board's
/// description, such as "b.json:" or "m.tmodel:/board".
void resolve_memory(TcuSimulationConfig& config, const std::string& where = "the board's ");
/// The configuration of a TCU on a board, with its memory resolved.
[[nodiscard]] TcuSimulationConfig tcu_config(const BoardValues& board,
                                             const tcu::Architecture& architecture);

/// True for keys of a board that replace single values of its memory: port_clock_mhz,
/// port_data_bits, interconnect_ns, ddr, arbitration.
[[nodiscard]] bool replaces_board_memory(std::string_view key);

/// Returns the board with the memory that it actually has. If the board's memory is used, the
/// values of the keys of replaces_board_memory() become part of it, and the keys are unset.
[[nodiscard]] BoardValues in_force(BoardValues board);

}  // namespace tactus
