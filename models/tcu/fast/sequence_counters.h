// What sequences count: accounts and events of the design, and their growth in an interval.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "models/tcu/fast/counter_list.h"
#include "models/tcu/fast/sequenced_design.h"

namespace tactus {

class SequenceCounters {
 public:
  using Id = KnownSequences::Id;
  using Count = KnownSequences::Count;

  explicit SequenceCounters(SequencedDesign& design) : design_(design) {}

  /// Lists the counters. The last account is that of the array's time.
  void list();
  [[nodiscard]] const std::vector<Account*>& accounts() const { return accounts_; }
  /// Number of the array's account.
  [[nodiscard]] std::size_t array() const;
  /// Counters of the accounts, then those of events.
  [[nodiscard]] CounterList& all() { return counters_; }
  [[nodiscard]] std::string name_of(std::uint32_t counter) const;

  // ---- of what is taken

  /// Lets the accounts count up to the current cycle; restart(): from it on.
  void count();
  void restart();
  /// Notes that an interval has passed: add() adds up what it counts, `times` times.
  void use(const KnownSequences& known, Id interval, std::uint64_t times);
  void add(const KnownSequences& known);
  /// Adds it at once.
  void add(const KnownSequences& known, Id interval, std::uint64_t times);
  /// Forgets the intervals that add() has not added.
  void forget() { uses_.clear(); }

  // ---- of an interval that is worked out

  void begin_interval();
  /// The counters have changed outside of intervals that are worked out.
  void note_change() { before_.clear(); }
  /// Takes back what has been counted since cycle `began`, and keeps it in growth(). Returns false
  /// if a counter grew by too much.
  [[nodiscard]] bool take_growth(Cycle began);
  [[nodiscard]] const std::vector<Count>& growth() const { return growth_; }
  /// Keeps the growth that the control owns. `move_waits`: counts of the head belong to the
  /// transfers.
  void keep_growth_of_control(bool move_waits);
  /// Keeps the growth that the transfers own. `loses`: the array waits for the one at the head.
  void keep_growth_of_moves(bool move_waits, bool loses);

 private:
  using Owner = CounterOwner;
  template <typename IsOwner>
  void keep_growth(const IsOwner& is_owner);

  SequencedDesign& design_;
  std::vector<Account*> accounts_;
  std::vector<std::uint32_t> places_;  ///< places of the accounts' first counters
  CounterList counters_, events_;
  std::vector<Owner> owners_;    ///< owner of each counter
  std::size_t first_event_ = 0;  ///< place of the first event's counter
  /// Values of the counters to which they return after every interval that is worked out. Empty: to
  /// be read.
  std::vector<std::uint64_t> before_, events_before_;
  std::vector<Count> growth_;
  /// Passes of each interval whose counts are still to be added up, and the intervals with passes
  std::vector<std::uint64_t> uses_;
  std::vector<Id> used_;
};

}  // namespace tactus
