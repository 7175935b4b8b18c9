// Skips repeated cycles in a long interval; see models/sim/fast/README.md.
//
// In the middle of a long transfer the design returns to the same state again and again, except for
// counts of what has been done (Registers::count_of_burst(), count_of_item()). The cycles between
// two such states are a *period*. As long as no count comes near its end, the next period is the
// same, with as many cycles and the same counts. So all periods but the last few are added up, and
// the design continues after them.
//
// Periods nest: beats of a burst, and bursts of a transfer. States after skipped beats are kept and
// compared with the states after the beats of the next bursts.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "models/sim/account.h"
#include "models/sim/clock.h"
#include "models/sim/fast/registers.h"
#include "models/tcu/fast/counter_list.h"

namespace tactus {

class TcuPeriods {
 public:
  struct Design {
    Clock& clock;
    /// Saves registers; all units are up to the current cycle
    std::function<void(Registers&)> save;
    /// Loads registers and derives everything else from them
    std::function<void(Registers&)> load;
    /// Returns a number that differs for most different states, and is cheap to compute.
    std::function<std::uint64_t()> phase;
    /// Called when a period that began in cycle `from` has been repeated for `cycles` cycles.
    std::function<void(Cycle from, Cycle cycles)> skipped;
    const std::vector<Account*>& accounts;
    CounterList& counters;
  };

  explicit TcuPeriods(Design design) : design_(std::move(design)) {}

  /// Begins an interval. `origin`: see Registers::address(); it does not change in the interval.
  void begin(std::uint64_t origin);
  /// Call after a cycle of the interval, or after cycles that were skipped at once. True if look()
  /// should be called.
  [[nodiscard]] bool due() { return ++steps_ >= next_look_; }
  /// If the design is at the end of a period, skips all whole periods that are certain to follow.
  /// Counters and accounts are then complete up to the current cycle.
  void look();
  /// Cycles skipped so far.
  [[nodiscard]] Cycle skipped() const { return skipped_; }

 private:
  struct State {
    Cycle now = 0;
    std::vector<std::uint8_t> bytes;
    std::vector<Registers::Count> counts;
    std::vector<std::uint64_t> counters;
  };
  void save(State& state) const;
  void count(State& state) const;
  [[nodiscard]] std::uint64_t periods_after(const State& before) const;
  void skip(const State& before, std::uint64_t periods);
  void wait(std::uint64_t steps);
  bool try_skip(const State& before);

  // Numbers of steps, i.e. of calls of due().
  static constexpr std::uint64_t first_search = 16, longest_search = 512;
  static constexpr std::size_t most_kept = 4;

  Design design_;
  std::uint64_t origin_ = 0;
  std::uint64_t steps_ = 0, next_look_ = 0;
  std::uint64_t search_ends_ = 0;  ///< step in which the search ends; 0: no search
  std::uint64_t search_ = 0;       ///< steps of a search, and of the wait before the next one
  std::uint64_t reference_phase_ = 0;
  State reference_;
  State present_;
  std::array<State, most_kept> behind_;  ///< states after skipped cycles, a ring
  std::size_t kept_ = 0;                 ///< number of such states in this interval so far
  Cycle skipped_ = 0;
};

}  // namespace tactus
