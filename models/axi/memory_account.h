// Where the time goes that an AXI slave waits for its memory: the path there and back, other
// accesses, refreshes, rows, the DRAM itself.
//
// Every cycle in which the slave's own account says that the memory has not answered belongs to the
// part of the way on which the access was when the cycle began. That is known only with the answer,
// so these states are entered when the beat or the response that was waited for is taken: their
// cycles lie in the past, and intervals are told late.
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
  /// What is waited for.
  enum class Kind : std::uint8_t { nothing, beat, response };

  MemoryAccount(const char* unit, const Clock& clock)
      : clock_(clock), account_(unit, clock, state_table, rest) {}

  [[nodiscard]] Account& account() { return account_; }

  /// From the present cycle on the slave waits for this.
  void wait(Kind kind) {
    if (kind == kind_) return;
    if (kind_ != Kind::nothing) remember();
    kind_ = kind;
    since_ = clock_.now;
  }
  /// The way is not known yet of some waiting up to now, so taken() has to say it.
  [[nodiscard]] bool wants_times() const { return kind_ != Kind::nothing || !intervals_.empty(); }
  /// In the present cycle, which is none of waiting, a beat or response is taken, whose way was
  /// this; null: not known.
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
  /// The waiting that is over now, until its way is known.
  void remember();
  void settle(Kind kind, const AnswerTimes& times);
  void enter(Cycle from, Cycle to, const AnswerTimes& times);
  void enter_parts(Cycle from, Cycle to, const AnswerTimes& times);

  const Clock& clock_;
  Account account_;
  Kind kind_ = Kind::nothing;
  Cycle since_ = 0;
  GrowingRing<Interval> intervals_;  ///< that are over and not accounted for, in order
  Account::Saved marked_;
};

}  // namespace tactus
