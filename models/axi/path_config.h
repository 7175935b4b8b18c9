// Parameters of a PortPath. "The port" is the memory port, with its own clock and width.
#pragma once

#include <array>
#include <cstdint>

namespace tactus {

struct PathConfig {
  std::uint64_t clock_p = 1, clock_q = 1;  ///< the port's clock is p/q times the design's; 1..1000
  unsigned data_bits = 128;                ///< width of the port
  unsigned split_beats = 16;               ///< most port beats in a chunk
  unsigned outstanding = 8;  ///< most chunks in flight, separately for reads and writes
  // Index 0 is for reads, index 1 for writes.
  /// Clocks of the port that the clock crossing takes, there and back together.
  std::array<unsigned, 2> crossing{0, 0};
  std::array<std::uint64_t, 2> interconnect_ps{0, 0};  ///< interconnect, there and back
  /// Time from the port to the controller and back, without the controller.
  std::array<std::uint64_t, 2> fixed_ps{0, 0};
  unsigned write_buffer_beats = 32;  ///< capacity, in beats of the design
  std::uint64_t base = 0;            ///< address at the controller of the bank's first byte
  unsigned access_bytes = 64;        ///< most bytes of one access to the controller
};

}  // namespace tactus
