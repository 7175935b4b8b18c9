// The memory side of the load/store unit: it takes messages from the unit's queue in order and
// transfers their bytes.
#pragma once

#include <array>
#include <functional>
#include <string>

#include "models/dpas/lsu/message.h"
#include "models/sim/account.h"
#include "models/sim/trace/signals.h"

namespace tactus::dpas {

class MemoryPort {
 public:
  /// States of the load/store unit's account.
  enum State : unsigned {
    read,
    write,
    read_write,
    address,
    wait_slave,
    wait_order,
    wait_memory,
    wait_response,
    payload,
    rest,
  };
  static constexpr std::array<UnitState, 10> state_table{{
      {"read", StateKind::busy, "a beat of read data arrives, and none leaves"},
      {"write", StateKind::busy, "a beat of write data leaves, and none arrives"},
      {"read_write", StateKind::busy, "a beat arrives and another leaves"},
      {"address", StateKind::busy, "a burst's address passes the pins, and no data"},
      {"wait_slave", StateKind::stall, "an address or write data is offered and not taken"},
      {"wait_order", StateKind::stall,
       "a burst waits until an earlier burst of the same bytes is done, or because too many bursts "
       "are in flight"},
      {"wait_memory", StateKind::stall, "waiting for data of reads already requested"},
      {"wait_response", StateKind::stall, "waiting for responses to write data already sent"},
      {"payload", StateKind::stall, "the sources of the first message are still being read"},
      {"idle", StateKind::idle, "no message"},
  }};
  struct Stats {
    std::uint64_t read_beats = 0, write_beats = 0;
    std::uint64_t read_bursts = 0, write_bursts = 0;
    std::uint64_t both = 0;  ///< cycles with a beat in each direction
  };

  virtual ~MemoryPort() = default;
  virtual void drive() = 0;
  /// Clock edge. Calls on_done for messages that are answered.
  virtual void commit() = 0;
  /// First cycle after `now` in which the port may do something; `never`: none. Called after
  /// commit() of cycle `now`, when the clock is at now + 1.
  [[nodiscard]] virtual Cycle next_event(Cycle now) const = 0;
  /// State in the current cycle, after the wires have settled.
  [[nodiscard]] virtual State state() const = 0;
  /// True if no message waits or is in flight.
  [[nodiscard]] virtual bool idle() const = 0;
  [[nodiscard]] virtual bool waits_for_memory() const = 0;
  [[nodiscard]] virtual Stats stats(Cycle now) const = 0;
  /// Text of what the port waits for; empty if it does not wait.
  [[nodiscard]] virtual std::string waits_for() const = 0;
  virtual void describe(const trace::Scope& scope) const = 0;

  std::function<void(Message&)> on_done;
};

}  // namespace tactus::dpas
