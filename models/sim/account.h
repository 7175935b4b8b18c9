// Account of a unit's cycles: in every cycle a unit is in exactly one state.
//
// A unit calls enter() at its clock edge with the state of the cycle that ends. A state lasts until
// another one is entered, so a unit that is asleep, and skipped cycles, need no call. Cycles of an
// account always add up to the cycles that have passed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "models/sim/clock.h"
#include "models/sim/fast/registers.h"

namespace tactus {

enum class StateKind : std::uint8_t {
  busy,   ///< the unit does its work
  stall,  ///< it has work and waits for something
  idle,   ///< it has no work
};

struct UnitState {
  std::string_view name;
  StateKind kind;
  std::string_view meaning;     ///< one sentence
  std::string_view needs = {};  ///< unit without which a machine does not have the state
};

/// The states of one unit; points to a table that lives as long as the program.
struct UnitStates {
  constexpr UnitStates() = default;
  template <std::size_t count_>
  // NOLINTNEXTLINE(google-explicit-constructor)
  constexpr UnitStates(const std::array<UnitState, count_>& table)
      : states(table.data()), count(count_) {}
  const UnitState* states = nullptr;
  std::size_t count = 0;
  const UnitState& operator[](std::size_t i) const { return states[i]; }
};

class Account;

/// Observer of intervals. It is called for each interval when this has ended, with its cycles
/// [from, to), to > from.
class AccountObserver {
 public:
  virtual ~AccountObserver() = default;
  virtual void interval(const Account& account, unsigned code, Cycle from, Cycle to) = 0;
};

/// Called when an account has changed on which it depends.
class AccountFollower {
 public:
  virtual ~AccountFollower() = default;
  virtual void follow() = 0;
};

class Account {
 public:
  /// Starts in state `initial`. An account may count its states separately for several contexts: a
  /// code is context * states + state.
  Account(const char* unit, const Clock& clock, UnitStates states, unsigned initial,
          unsigned contexts = 1)
      : unit_(unit), clock_(clock), states_(states), code_(initial) {
    cycles_.resize(states.count * contexts);
  }
  Account(const Account&) = delete;
  Account& operator=(const Account&) = delete;

  /// Enters a state: the current cycle, and those after it until the next call, belong to `code`.
  void enter(unsigned code) {
    if (code != code_) change(code);
  }
  /// Enters a state from cycle `at` on, which must not be after the current cycle nor before
  /// earlier calls.
  void enter_at(unsigned code, Cycle at) {
    if (code == code_) return;
    if (watched_) return announce_at(code, at);
    if (at > since_) {
      cycles_[code_] += at - since_;
      since_ = at;
    }
    code_ = code;
  }
  /// Counts the current interval up to the current cycle (exclusive) and begins a new one, also for
  /// the observer.
  void settle();
  /// Counts the current interval up to the current cycle (exclusive). Does not tell the observer.
  void count() {
    cycles_[code_] += clock_.now - since_;
    since_ = clock_.now;
  }

  /// The observer of intervals; null: none.
  [[nodiscard]] AccountObserver* observer() const { return observer_; }
  [[nodiscard]] bool observed() const { return observer_ != nullptr; }
  /// The first cycle of the current state of which the observer has not been told.
  [[nodiscard]] Cycle told() const { return told_; }
  /// Loading: the current cycle and those after it belong to the saved code. Call count() before.
  void registers(Registers& r) {
    r(code_);
    if (r.loads()) since_ = clock_.now;
  }
  /// Counts from the current cycle on. Earlier cycles are not counted, unless count() was called.
  void restart() { since_ = clock_.now; }
  /// Counted cycles, to which the counts of known cycles can be added. Call count() before.
  [[nodiscard]] std::vector<std::uint64_t>& counts() { return cycles_; }

  /// Counts up to some cycle, and the interval of that cycle.
  struct Saved {
    unsigned code = 0;
    Cycle since = 0;
    std::vector<std::uint64_t> cycles;
  };
  void save(Saved& saved) const {
    saved.code = code_;
    saved.since = since_;
    saved.cycles = cycles_;
  }
  /// Continues from the saved counts; the clock must be set back, too. Observers and followers are
  /// not told.
  void restore(const Saved& saved) {
    code_ = saved.code;
    since_ = saved.since;
    cycles_ = saved.cycles;
  }

  [[nodiscard]] std::string_view unit() const { return unit_; }
  [[nodiscard]] const UnitStates& states() const { return states_; }
  [[nodiscard]] unsigned code() const { return code_; }
  /// The first cycle of the current state that has not been counted.
  [[nodiscard]] Cycle since() const { return since_; }
  /// Cycles of every code up to the last change or settle().
  [[nodiscard]] const std::vector<std::uint64_t>& cycles() const { return cycles_; }

  /// Sets the observer, which receives cycles from the first uncounted one on.
  void observe(AccountObserver* observer) { observe(observer, since_); }
  /// Sets the observer, which receives cycles from `from` on. `tells_empty`: it also receives the
  /// state that ends in cycle `from`, as an interval without cycles.
  void observe(AccountObserver* observer, Cycle from, bool tells_empty = false) {
    observer_ = observer;
    told_ = from;
    tells_empty_ = tells_empty;
    watched_ = observer_ != nullptr || follower_ != nullptr;
  }
  void set_follower(AccountFollower* follower) {
    follower_ = follower;
    watched_ = observer_ != nullptr || follower_ != nullptr;
  }

 private:
  void change(unsigned code) {
    const Cycle now = clock_.now;
    cycles_[code_] += now - since_;
    if (watched_) return announce(code);
    code_ = code;
    since_ = now;
  }
  void announce(unsigned code);
  void announce_at(unsigned code, Cycle at);
  void tell(Cycle to);

  std::string_view unit_;
  const Clock& clock_;
  UnitStates states_;
  unsigned code_;
  Cycle since_ = 0;
  Cycle told_ = 0;
  bool tells_empty_ = false;
  bool watched_ = false;  ///< there is a follower or an observer
  AccountFollower* follower_ = nullptr;
  AccountObserver* observer_ = nullptr;
  std::vector<std::uint64_t> cycles_;
};

}  // namespace tactus
