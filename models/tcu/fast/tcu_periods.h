// Skips cycles of a long interval that repeat themselves; see models/sim/fast/README.md.
//
// In the middle of a long transfer the design comes back to the same state again and again, but for
// counts of what has been done (Registers::count_of_burst(), count_of_item()). Between two such
// states lies a *period*: as long as no count comes near its end, the next period is like it, takes
// as many cycles, and counts as much. So all of them but the last few are added up, and the design
// goes on behind them.
//
// Periods nest: beats of a burst, and bursts of a transfer. States behind the beats that were
// skipped are kept, and compared with those behind the beats of the next bursts.
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
    std::function<void(Registers&)> save;  ///< with all units up to the present cycle
    std::function<void(Registers&)> load;  ///< and whatever follows from the registers
    /// Differs for most states that differ, and is quick to ask for.
    std::function<std::uint64_t()> phase;
    /// A period that began in cycle `from` has been repeated, for so many cycles.
    std::function<void(Cycle from, Cycle cycles)> skipped;
    const std::vector<Account*>& accounts;
    CounterList& counters;
  };

  explicit TcuPeriods(Design design) : design_(std::move(design)) {}

  /// An interval begins. `origin`: see Registers::address(); it does not change in the interval.
  void begin(std::uint64_t origin);
  /// After a cycle of it, or after cycles that were taken at once: whether it is time for look().
  [[nodiscard]] bool due() { return ++steps_ >= next_look_; }
  /// Skips all whole periods that are sure to come, if the design is at the end of one. Counters
  /// and accounts are then complete up to the present cycle.
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

  // In steps: calls of due().
  static constexpr std::uint64_t first_search = 16, longest_search = 512;
  static constexpr std::size_t most_kept = 4;

  Design design_;
  std::uint64_t origin_ = 0;
  std::uint64_t steps_ = 0, next_look_ = 0;
  std::uint64_t search_ends_ = 0;  ///< in this step; 0: nothing is searched
  std::uint64_t search_ = 0;       ///< steps of a search, and of the wait before the next
  std::uint64_t reference_phase_ = 0;
  State reference_;
  State present_;
  std::array<State, most_kept> behind_;  ///< states behind what was skipped, a ring
  std::size_t kept_ = 0;                 ///< of the interval, so far
  Cycle skipped_ = 0;
};

}  // namespace tactus
