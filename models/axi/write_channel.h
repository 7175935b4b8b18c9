// What an AXI slave tells about write data beat by beat, where the memory behind it wants to know.
#pragma once

#include <cstdint>

namespace tactus {

/// Without a WriteChannel a slave hands over a write when all of its data is there. With one, a
/// write's transaction begins as soon as its address and its first beat are there: the payload then
/// has its full length, and beats are valid once they have been told here. Data may come before its
/// address; beats of bursts do not mix.
class WriteChannel {
 public:
  virtual ~WriteChannel() = default;
  /// A beat was taken; `ps` is the clock edge that ends its cycle. Returns the time from which on
  /// the next beat can be taken, in ps; 0: at once.
  virtual std::uint64_t take_beat(std::uint64_t ps) = 0;
  /// The time in ps from which on a beat can be taken behind so many others that are still to come,
  /// 1 or more. ~0: it is not known yet.
  [[nodiscard]] virtual std::uint64_t room_behind(std::size_t beats) const = 0;
  /// Drops everything under way to and from the target, reads too, without an answer, and is as it
  /// was at first. Once nothing is under way it makes no difference what came before, so that this
  /// returns to any such state.
  virtual void reset() = 0;
};

}  // namespace tactus
