// Lets several designs share a pulled memory, each with a clock and a SystemC thread of its own.
//
// The memory must get requests in the order of their time; of requests at the same time the one of
// the design that was added first comes first. Before a design makes a request, it therefore waits
// until every other one has come as far. To learn of answers it may be ahead of the others by the
// time that an answer takes to reach it. Only one thread runs at a time: the design that has come
// least far goes on, and kernel time stands still. While a design waits for an answer, it makes no
// request, so that the others need not wait for it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include <systemc>

#include "models/sim/clock.h"
#include "models/sim/pulled_memory.h"

namespace tactus {

class Turns {
 public:
  explicit Turns(PulledMemory& memory) : memory_(memory) {}
  /// Adds a design. It must run in a SystemC thread, and call leave() when its work ends.
  Turn& add();

 private:
  friend class Turn;
  static constexpr std::size_t none = ~std::size_t{0};
  /// The design that has come least far except for this one; the one that was added first among
  /// several; none: there is no other.
  [[nodiscard]] std::size_t first_besides(std::size_t turn) const;

  PulledMemory& memory_;
  std::vector<std::unique_ptr<Turn>> turns_;
  std::vector<std::uint64_t> times_;  ///< each design makes no request before its time
  std::uint64_t answers_ = 0;         ///< all answers of the memory so far
};

/// Number of cycles from the current one on that `waits()` returns. A design that waits for an
/// answer of a shared memory lets the others go on meanwhile; an answer may end the wait earlier.
template <typename Waits>
[[nodiscard]] Cycle wait_for_turn(const Clock& clock, const Waits& waits);

/// What a design needs to take its turns. Times are in units of sc_time. The design promises to
/// make no request before the time that it has named last, unless it waits and gets an answer.
class Turn {
 public:
  Turn(Turns& all, std::size_t number) : all_(all), number_(number) {}

  /// Sets the shortest time from the memory's answer to the design. The default is zero.
  void set_answer_delay(std::uint64_t time) { answer_delay_ = time; }

  /// Call before a request at this time. Returns when no other design makes an earlier request, or
  /// one at the same time with a lower number, and the memory has done everything up to this time.
  void reach(std::uint64_t time) {
    begin(time, false);
    (void)go_on(time);
  }
  /// Call to learn of the answers that the design has got by time `now`; it makes no request before
  /// `time`. The others may be behind by the answers' delay.
  void look(std::uint64_t now, std::uint64_t time) {
    begin(time, false);
    (void)go_on(now < answer_delay_ ? 0 : now - answer_delay_);
  }
  /// Call if the design makes no request before this time unless it gets an answer. Returns true
  /// when there is one, and false when this time is reached.
  [[nodiscard]] bool wait(std::uint64_t time) {
    begin(time, true);
    return go_on(time);
  }
  /// Call when an answer of the memory, or a part of it, has come for the design.
  void note_answer() {
    ++all_.answers_;
    if (!waits_) return;
    answered_ = true;
    all_.times_[number_] = 0;
  }
  /// Call when the design makes no more requests, or none until come_back().
  void leave();
  /// Call when a design that has left will make requests again, from this time on. No other one
  /// may be beyond it.
  void come_back(std::uint64_t time);

 private:
  friend class Turns;
  /// Lets the others and the memory go on up to time `upto`.
  [[nodiscard]] bool go_on(std::uint64_t upto) {
    if (upto < others_ && !waits_ && all_.memory_.next_pull() > upto) return false;
    return let_others(upto);
  }
  [[nodiscard]] bool let_others(std::uint64_t upto);
  void begin(std::uint64_t time, bool waits) {
    waits_ = waits;
    answered_ = false;
    all_.times_[number_] = time;
  }

  Turns& all_;
  const std::size_t number_;
  std::uint64_t answer_delay_ = 0;
  bool waits_ = false;     ///< an answer ends the wait
  bool answered_ = false;  ///< an answer has ended the wait
  /// The design may go on before this time, as far as the others are concerned; 0: not known. It
  /// holds as long as only this design runs and no answer comes.
  std::uint64_t others_ = 0;
  sc_core::sc_event goes_on_;
};

template <typename Waits>
Cycle wait_for_turn(const Clock& clock, const Waits& waits) {
  for (;;) {
    const Cycle cycles = waits();
    if (clock.turn == nullptr || cycles == 0) return cycles;
    // As far as the memory is pulled when these cycles are evaluated one by one.
    if (!clock.turn->wait(clock.middle_of(clock.now + cycles - 1))) return cycles;
  }
}

}  // namespace tactus
