// Parameters of a PortPath.
#pragma once

#include <array>
#include <cstdint>

namespace tactus {

struct PathConfig {
  std::uint64_t clock_p = 1, clock_q = 1;  ///< the port's clock is p/q times the design's; 1..1000
  unsigned data_bits = 128;                ///< width of the port
  unsigned split_beats = 16;               ///< beats of the port in a chunk, at most
  unsigned outstanding = 8;                ///< chunks in flight, each way
  // For reads and writes:
  /// Clocks of the port, in both directions together.
  std::array<unsigned, 2> crossing{0, 0};
  std::array<std::uint64_t, 2> interconnect_ps{0, 0};  ///< there and back
  /// Time from the port to the controller and back.
  std::array<std::uint64_t, 2> fixed_ps{0, 0};
  unsigned write_buffer_beats = 32;  ///< beats of the design
  std::uint64_t base = 0;            ///< address of the bank's first byte at the controller
  unsigned access_bytes = 64;        ///< bytes of an access of the controller
};

}  // namespace tactus
