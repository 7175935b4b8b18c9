// Interface for memories that receive write data from an AXI slave beat by beat.
#pragma once

#include <cstdint>

namespace tactus {

/// Without a WriteChannel a slave sends a write when all of its data has arrived. With one, a
/// write's transaction begins when its address and its first beat have arrived: the payload has its
/// full length, and a beat is valid after the call of take_beat() for it. Data may come before its
/// address; beats of different bursts are not interleaved.
class WriteChannel {
 public:
  virtual ~WriteChannel() = default;
  /// Call when a beat has been accepted; `ps` is the clock edge that ends its cycle. Returns the
  /// time in ps from which the next beat can be accepted; 0: immediately.
  virtual std::uint64_t take_beat(std::uint64_t ps) = 0;
  /// Time in ps from which a beat can be accepted after `beats` further ones, 1 or more. ~0:
  /// unknown yet.
  [[nodiscard]] virtual std::uint64_t room_behind(std::size_t beats) const = 0;
  /// Removes everything in flight, including reads, without an answer, and returns to the initial
  /// state. All states with nothing in flight are equivalent, so this restores any of them.
  virtual void reset() = 0;
};

}  // namespace tactus
