// Account of the cycles in which an AXI slave (or a StreamReader) waits for its memory, split by
// cause: the path to it and back, other accesses, refreshes, rows, the DRAM itself.
//
// A cycle in which the slave's own account is in read_latency or write_latency is counted by where
// the access was when the cycle began. That is known only with the answer. So this account enters
// states when the beat or response is taken, for cycles in the past, and its observers receive
// intervals late.
#pragma once

#include <array>

#include "models/axi/beat_times.h"
#include "models/axi/ring.h"
#include "models/sim/account.h"

namespace tactus {

class MemoryAccount {
 public:
  enum State : unsigned { path, queue, refresh, row, bus, rest };
  static constexpr std::array<UnitState, 6> state_table{{
      {"path", StateKind::stall,
       "the awaited beat or response is on its way between port and memory controller"},
      {"queue", StateKind::stall,
       "the memory controller serves other accesses before the awaited one"},
      {"refresh", StateKind::stall, "a refresh holds up the awaited access"},
      {"row", StateKind::stall,
       "the awaited access's row is being opened, or another row closed first"},
      {"bus", StateKind::stall,
       "the awaited access is in the DRAM's own latency, or its data is on the bus"},
      {"idle", StateKind::idle, "nothing is awaited"},
  }};
  /// What a slave may wait for.
  enum class Kind : std::uint8_t { nothing, beat, response };

  MemoryAccount(const char* unit, const Clock& clock)
      : clock_(clock), account_(unit, clock, state_table, rest) {}

  [[nodiscard]] Account& account() { return account_; }

  /// Says what the slave waits for from the current cycle on.
  void wait(Kind kind) {
    if (kind == kind_) return;
    if (kind_ != Kind::nothing) remember();
    kind_ = kind;
    since_ = clock_.now;
  }
  /// True if some waiting up to now is not accounted for yet: taken() must be called when the beat
  /// or response is taken.
  [[nodiscard]] bool wants_times() const { return kind_ != Kind::nothing || !intervals_.empty(); }
  /// Says that a beat or response is taken in the current cycle, which does not count as waiting.
  /// `times` are the parts of its answer; null: unknown, and the waiting counts as path.
  void taken(Kind kind, const AnswerTimes* times);

  /// Saves the current state. Precondition: wants_times() is false.
  void mark();
  /// Restores the saved state.
  void rewind();

 private:
  struct Interval {
    Cycle from = 0, to = 0;
    Kind kind = Kind::nothing;
    bool known = false;
    AnswerTimes times;
  };
  /// Stores the interval of waiting that ends now. It is kept until the parts of its answer are
  /// known.
  void remember();
  /// Gives these parts to all open intervals of a kind, and accounts for the intervals that are
  /// known.
  void settle(Kind kind, const AnswerTimes& times);
  /// Accounts for the cycles [from, to), by the parts of the answer.
  void enter(Cycle from, Cycle to, const AnswerTimes& times);
  void enter_parts(Cycle from, Cycle to, const AnswerTimes& times);

  const Clock& clock_;
  Account account_;
  Kind kind_ = Kind::nothing;
  Cycle since_ = 0;
  /// Intervals that have ended and are not yet accounted for, in order of time.
  GrowingRing<Interval> intervals_;
  Account::Saved marked_;
};

}  // namespace tactus
