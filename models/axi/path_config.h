// What a PortPath is made of.
#pragma once

#include <array>
#include <cstdint>

namespace tactus {

struct PathConfig {
  std::uint64_t clock_p = 1, clock_q = 1;  ///< the port's clock is p/q times the design's; 1..1000
  unsigned data_bits = 128;                ///< of the port
  unsigned split_beats = 16;               ///< beats of the port in a chunk, at most
  unsigned outstanding = 8;                ///< chunks in flight, each way
  // For reads and writes:
  std::array<unsigned, 2> crossing{0, 0};              ///< clocks of the port, there and back
  std::array<std::uint64_t, 2> interconnect_ps{0, 0};  ///< there and back
  std::array<std::uint64_t, 2> fixed_ps{0, 0};         ///< from the port to the controller and back
  unsigned write_buffer_beats = 32;                    ///< beats of the design
  std::uint64_t base = 0;      ///< address of the bank's first byte at the controller
  unsigned access_bytes = 64;  ///< of the controller
};

}  // namespace tactus
