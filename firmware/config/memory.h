// The memory of a board, looked up and checked.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "firmware/driver/tcu/simulation.h"

namespace tactus {

/// What speaks against a memory on an architecture.
struct MemoryProblem {
  std::string path;  ///< JSON path below the board
  std::string what;
  std::string option;  ///< that gave the value in place of the board; none: empty
};

/// What speaks against clocks, DRAM and banks together.
[[nodiscard]] std::vector<MemoryProblem> memory_problems(const BoardValues& board,
                                                         const tcu::Architecture& architecture);

/// Where a DRAM stands in place of the board's (BoardValues::ddr) and the banks do not fit into it
/// as the board has them, they move: one behind the other from byte 0 on, the program behind both.
void place_banks(BoardValues& board, const tcu::Architecture& architecture);

/// A memory for a DRAM where no board describes one: each port on the design's clock, as wide as
/// its AXI, without latencies of its own.
[[nodiscard]] BoardMemory plain_memory(unsigned axi_data_bits);

/// Looks up the DRAM of a configuration that uses the board's memory, places its banks as
/// place_banks(), and makes the same checks. Does nothing with the memory of fixed latency. Throws
/// UserError, which names the option, or the JSON path behind `where`: what describes the board,
/// such as "b.json:" or "m.tmodel:/board".
void resolve_memory(TcuSimulationConfig& config, const std::string& where = "the board's ");

/// Whether a key of a board replaces single values of its memory: port_clock_mhz, port_data_bits,
/// interconnect_ns, ddr.
[[nodiscard]] bool replaces_board_memory(std::string_view key);

/// The same machine with its memory in force: where the board's memory is used, what the keys of
/// replaces_board_memory() say has become part of it, and they have no values.
[[nodiscard]] BoardValues in_force(BoardValues board);

}  // namespace tactus
