// What observers of accounts see while instructions are taken in sequences.
//
// With an interval the changes of the accounts' states are remembered, and they are told whenever
// the interval is taken. Meanwhile the accounts themselves belong to intervals that are worked out,
// and their observers are not told of these.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/sim/account.h"
#include "models/tcu/fast/known_sequences.h"

namespace tactus {

class AccountChanges {
 public:
  using Change = KnownSequences::Change;

  /// The accounts, in the order of their numbers.
  void list(const std::vector<Account*>& accounts);
  /// Changes of this account are recorded even if nobody observes it. `whole`: each interval begins
  /// with its state, which is not always that in which the interval before ended.
  void record(std::size_t account, bool whole);
  /// They are not recorded: whoever calls tell() works them out.
  void leave_out(std::size_t account);
  /// Whether the same accounts are observed as when they were listed.
  [[nodiscard]] bool holds() const;
  /// Whether one of them was.
  [[nodiscard]] bool are_observed() const { return observed_; }

  // ---- of a sequence

  /// A sequence begins in the present cycle: observers hear of tell() only.
  void begin();
  /// The account is in this state from cycle `at` on, which is not before the last one told.
  void tell(std::size_t account, unsigned code, Cycle at);
  /// The state that was told last.
  [[nodiscard]] unsigned code(std::size_t account) const { return entries_[account].code; }
  /// As Account::settle() in cycle `at`.
  void settle(Cycle at);
  /// The sequence is over before cycle `now`, and the accounts are in the states of this cycle.
  void end(Cycle now);

  // ---- of an interval that is worked out

  /// It begins in this cycle.
  void begin_interval(Cycle from);
  /// What has happened in cycles [from, to) happens `times` more, and each time takes as long.
  void repeat(Cycle from, Cycle to, std::uint64_t times);
  /// It ends: its changes, in the order in which they came.
  void end_interval(std::vector<Change>& changes);

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  /// Notes the changes of one account.
  class Recorder final : public AccountObserver {
   public:
    Recorder(AccountChanges& changes, std::size_t account) : changes_(changes), account_(account) {}
    void interval(const Account& /*account*/, unsigned code, Cycle /*from*/, Cycle to) override {
      changes_.note(account_, code, to);
    }

   private:
    AccountChanges& changes_;
    std::size_t account_;
  };
  struct Entry {
    Account* account = nullptr;
    bool observed = false, whole = false;
    std::unique_ptr<Recorder> recorder;
    AccountObserver* observer = nullptr;  ///< while a sequence is taken
    // What the observer knows.
    unsigned code = 0;
    Cycle since = 0;
    // For the interval that is worked out.
    unsigned first_code = 0;
    std::size_t last = none;  ///< place of its last change, whose state is not known yet
  };

  void note(std::size_t account, unsigned code, Cycle to);
  void note_first(std::size_t account, unsigned code);

  std::vector<Entry> entries_;
  std::vector<std::size_t> recorded_;
  bool observed_ = false;
  Cycle began_ = 0;
  std::vector<Change> changes_;
};

}  // namespace tactus
