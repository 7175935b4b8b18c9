// What a board adds to a machine: clock, memory port, memory. The same for every machine.
#pragma once

#include <cstdint>

#include "isa/support/parameter.h"

namespace tactus {

struct BoardValues {
  double clock_mhz = 100;
  unsigned axi_data_bits = 64;
  std::uint64_t read_latency = 1;   ///< cycles, of the default memory
  std::uint64_t write_latency = 1;  ///< cycles, of the default memory
};

inline constexpr WholeRange axi_width_range{32, 1024, true};
/// The longest wait that a run can be asked for: cycles of a latency, a gap or a pause.
inline constexpr WholeRange latency_range{1, 1000000};
inline constexpr WholeRange pause_range{0, 1000000};

[[nodiscard]] const ParameterTable<BoardValues>& board_parameters();

}  // namespace tactus
