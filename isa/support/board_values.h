// Properties of a board beside the machine: clock, memory port, memory. They are the same for every
// kind of machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/support/board_memory.h"
#include "isa/support/parameter.h"

namespace tactus {

/// The memory behind the DRAM ports.
enum class MemoryModel {
  fixed,  ///< a memory of fixed latency at each port
  board,  ///< the board's paths, memory controller and DRAM
};

/// Source of the instruction stream.
enum class StreamModel {
  ideal,  ///< the next word is always available
  board,  ///< read from the board's memory, through the path that its "stream" names
};

struct BoardValues {
  double clock_mhz = 100;
  unsigned axi_data_bits = 64;
  std::uint64_t read_latency = 1;   ///< cycles, memory of fixed latency
  std::uint64_t write_latency = 1;  ///< cycles, memory of fixed latency
  MemoryModel memory_model = MemoryModel::fixed;
  StreamModel stream_model = StreamModel::ideal;
  // Replaces the values of all paths of the board's memory.
  std::optional<double> port_clock_mhz;
  std::optional<unsigned> port_data_bits;
  std::optional<double> interconnect_ns;  ///< for reads and for writes
  std::string ddr;                        ///< name of a preset; empty: the board's own
  std::string arbitration;                ///< isa/support/arbitration.h; empty: the board's own
  double host_us = 0;  ///< time that the host adds to each run, see the parameter
  std::optional<BoardMemory> board_memory;  ///< empty: the board has no description of its memory
};

inline constexpr WholeRange axi_width_range{32, 1024, true};
/// Largest wait, in cycles, that a run can be given: a latency, a gap or a pause.
inline constexpr WholeRange latency_range{1, 1000000};
inline constexpr WholeRange pause_range{0, 1000000};

[[nodiscard]] const ParameterTable<BoardValues>& board_parameters();

/// True if a key belongs only to the memory of fixed latency. Giving the key without a memory model
/// selects that memory.
[[nodiscard]] bool is_fixed_latency(std::string_view key);

/// The arbitration of the board's memory (isa/support/arbitration.h). Precondition: it has one.
[[nodiscard]] inline const std::string& arbitration_text(const BoardValues& board) {
  return board.arbitration.empty() ? board.board_memory->arbitration : board.arbitration;
}

/// Summary such as "memory latency 20 read 5 write" or "memory ddr4_2133_zcu104".
[[nodiscard]] std::string memory_text(const BoardValues& board);

}  // namespace tactus
