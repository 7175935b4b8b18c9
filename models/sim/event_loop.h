// The loop of a machine whose units know the cycle of their next event: Machine::advance().
//
// The fast engine skips the cycles between two events, in which only counters of remaining cycles
// change. The step engine evaluates them. The check engine evaluates them, too, and stops if
// something happens in one of them.
#pragma once

#include <algorithm>
#include <optional>

#include "models/sim/left_out.h"
#include "models/sim/machine.h"
#include "models/sim/trace/cycle_watcher.h"

namespace tactus {

class EventLoop {
 public:
  /// Next event of a machine that has none to come.
  static constexpr Cycle never = ~Cycle{0};

  EventLoop(Machine& machine, Clock& clock) : machine_(machine), clock_(clock) {}

  /// See Machine::advance(). `cycle()` evaluates cycle Clock::now. `next_event(now)` is called
  /// after cycle `now`. It returns the first cycle after it in which a register other than a timer
  /// changes, a wire or the state of an account changes, or a memory answers.
  template <typename CycleStep, typename NextEvent>
  Cycle advance(Cycle most, CycleStep&& cycle, NextEvent&& next_event) {
    const Cycle end = clock_.now + most;
    const std::uint64_t transactions = clock_.transactions;
    const bool skips = clock_.engine == Engine::fast && clock_.events == nullptr;
    paused_ = false;
    Cycle quiet = 0;
    while (clock_.now < end) {
      const std::uint64_t progress = clock_.progress;
      cycle();
      ++clock_.now;
      // The fast engine advances at most to the end of this call. If a memory was called, it stops
      // at the current cycle, since other SystemC processes run in between.
      const bool calls = clock_.transactions != transactions;
      if (clock_.engine == Engine::check) check(next_event, calls ? clock_.now : end);
      const bool rested = clock_.progress == progress;
      quiet = rested ? quiet + 1 : 0;
      if (paused_ || calls || (rested && machine_.idle())) break;
      if (!skips && rested) break;
      // If the machine has just become idle, the run may end in the next cycle, which must
      // therefore be evaluated.
      if (skips && !machine_.idle()) quiet += skip(std::min(end, next_event(clock_.now - 1)));
    }
    return quiet;
  }
  /// See Machine::pause().
  void pause() { paused_ = true; }
  /// Call when something has come from outside, such as a program: the current cycle is evaluated.
  void restart() { quiet_until_ = clock_.now; }

 private:
  /// Skips cycles up to `to`, and returns their number.
  Cycle skip(Cycle to) {
    if (clock_.watcher != nullptr) to = std::min(to, clock_.watcher->next(clock_.now));
    if (to <= clock_.now) return 0;
    const Cycle skipped = to - clock_.now;
    clock_.now = to;
    return skipped;
  }
  /// Call after a cycle. Checks that nothing has happened in it if the fast engine would have
  /// skipped it.
  template <typename NextEvent>
  void check(NextEvent&& next_event, Cycle latest) {
    const Cycle now = clock_.now - 1;
    if (now < quiet_until_) {
      left_out_->check(now);
    } else {
      quiet_until_ = next_event(now);
      left_out_.emplace(machine_.accounts(), clock_);
    }
    quiet_until_ = std::min(quiet_until_, latest);
  }

  Machine& machine_;
  Clock& clock_;
  bool paused_ = false;
  Cycle quiet_until_ = 0;                  ///< check engine: no event before this cycle
  std::optional<LeftOutCycles> left_out_;  ///< check engine: the cycles before that one
};

}  // namespace tactus
