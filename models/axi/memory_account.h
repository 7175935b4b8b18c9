// Account of the time that an AXI slave waits for its memory: the path to it and back, other
// accesses, refreshes, rows, the DRAM itself.
//
// Every cycle in which the slave's own account is in a state of waiting for the memory belongs to
// the part of the way where the access was when the cycle began. This is known only with the
// answer. So states are entered when the beat or response is taken: their cycles are in the past,
// and observers receive intervals late.
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
       "a beat or response is waited for, and is on its way between port and memory controller"},
      {"queue", StateKind::stall,
       "the memory controller serves other accesses before the one that is waited for"},
      {"refresh", StateKind::stall, "the access that is waited for is held up by a refresh"},
      {"row", StateKind::stall, "its row is being opened, or another one closed before that"},
      {"bus", StateKind::stall, "the DRAM's own latency, and the data on its bus"},
      {"idle", StateKind::idle, "nothing is waited for"},
  }};
  /// What the slave waits for.
  enum class Kind : std::uint8_t { nothing, beat, response };

  MemoryAccount(const char* unit, const Clock& clock)
      : clock_(clock), account_(unit, clock, state_table, rest) {}

  [[nodiscard]] Account& account() { return account_; }

  /// From the current cycle on the slave waits for this.
  void wait(Kind kind) {
    if (kind == kind_) return;
    if (kind_ != Kind::nothing) remember();
    kind_ = kind;
    since_ = clock_.now;
  }
  /// The way is not known yet of some waiting up to now, so taken() has to say it.
  [[nodiscard]] bool wants_times() const { return kind_ != Kind::nothing || !intervals_.empty(); }
  /// In the current cycle, which does not count as waiting, a beat or response is taken. `times`
  /// are the parts of its answer; null: unknown.
  void taken(Kind kind, const AnswerTimes* times);

  /// Remembers the present state; the way of all waiting up to now is known.
  void mark();
  /// Returns to it.
  void rewind();

 private:
  struct Interval {
    Cycle from = 0, to = 0;
    Kind kind = Kind::nothing;
    bool known = false;
    AnswerTimes times;
  };
  /// Stores the interval of waiting that ends now, until the parts of its answer are known.
  void remember();
  void settle(Kind kind, const AnswerTimes& times);
  void enter(Cycle from, Cycle to, const AnswerTimes& times);
  void enter_parts(Cycle from, Cycle to, const AnswerTimes& times);

  const Clock& clock_;
  Account account_;
  Kind kind_ = Kind::nothing;
  Cycle since_ = 0;
  /// Intervals that have ended and are not accounted for yet, in order.
  GrowingRing<Interval> intervals_;
  Account::Saved marked_;
};

}  // namespace tactus
