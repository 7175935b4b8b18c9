// Interface of memories that accept write data from an AXI slave beat by beat.
#pragma once

#include <cstdint>

namespace tactus {

/// Without a WriteChannel a slave sends a write when all of its data has arrived. With a
/// WriteChannel, the transaction of a write begins when its address and its first beat have
/// arrived. Its payload has the full length, and the bytes of a beat are valid after the call of
/// take_beat() for it. Data may come before its address; beats of different bursts are not
/// interleaved.
class WriteChannel {
 public:
  virtual ~WriteChannel() = default;
  /// Accepts a beat; `ps` is the clock edge that ends the cycle of its handshake. Returns the time
  /// in units of sc_time from which the next beat can be accepted; 0: immediately.
  virtual std::uint64_t take_beat(std::uint64_t ps) = 0;
  /// Time in units of sc_time from which a beat can be accepted when `beats` more, 1 or more, have
  /// been accepted before it; ~0: not known yet.
  [[nodiscard]] virtual std::uint64_t room_behind(std::size_t beats) const = 0;
  /// Removes everything in flight, including reads, without an answer, and returns to the initial
  /// state. All states with nothing in flight are equivalent, so this restores any of them.
  virtual void reset() = 0;
};

}  // namespace tactus
