// What a board adds to a machine: clock, memory port, memory. The same for every machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "isa/support/board_memory.h"
#include "isa/support/parameter.h"

namespace tactus {

/// What stands behind the DRAM ports.
enum class MemoryModel {
  fixed,  ///< a memory of fixed latency at each
  board,  ///< the board's paths, memory controller and DRAM
};

/// Where the instruction stream comes from.
enum class StreamModel {
  ideal,  ///< a word whenever one is wanted
  board,  ///< the board's memory, by the path that its "stream" names
};

struct BoardValues {
  double clock_mhz = 100;
  unsigned axi_data_bits = 64;
  std::uint64_t read_latency = 1;   ///< cycles, of the memory of fixed latency
  std::uint64_t write_latency = 1;  ///< cycles, of the memory of fixed latency
  MemoryModel memory_model = MemoryModel::fixed;
  StreamModel stream_model = StreamModel::ideal;
  // In place of what the board's memory says; of all its paths.
  std::optional<double> port_clock_mhz;
  std::optional<unsigned> port_data_bits;
  std::optional<double> interconnect_ns;    ///< of reads and of writes
  std::string ddr;                          ///< a preset; empty: the board's
  double host_us = 0;                       ///< of the host, in each run; see the parameter
  std::optional<BoardMemory> board_memory;  ///< none: the board has no description of its memory
};

inline constexpr WholeRange axi_width_range{32, 1024, true};
/// The longest wait that a run can be asked for: cycles of a latency, a gap or a pause.
inline constexpr WholeRange latency_range{1, 1000000};
inline constexpr WholeRange pause_range{0, 1000000};

[[nodiscard]] const ParameterTable<BoardValues>& board_parameters();

/// Whether a key belongs to the memory of fixed latency alone: who gives it and names no memory
/// model wants that one.
[[nodiscard]] bool is_fixed_latency(std::string_view key);
/// Whether the parameter is about the board's own memory, which not every machine can be built
/// with.
[[nodiscard]] bool is_of_board_memory(std::string_view key);

/// For a summary: "memory latency 20 read 5 write", "memory ddr4_2133_zcu104".
[[nodiscard]] std::string memory_text(const BoardValues& board);

}  // namespace tactus
