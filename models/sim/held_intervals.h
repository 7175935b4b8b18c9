// Intervals of accounts that observers are told later, for a unit that may return to an earlier
// cycle: what is held back then never happened, or happens again.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "models/sim/account.h"

namespace tactus {

class HeldIntervals final : public AccountObserver {
 public:
  explicit HeldIntervals(const Clock& clock) : clock_(clock) {}

  /// Takes the place of the account's observer, if it has one.
  void hold(Account& account) {
    if (!account.observed() || account.observer() == this) return;
    places_.push_back({&account, account.observer(), account.told()});
    account.observe(this, account.told());
  }
  void interval(const Account& account, unsigned code, Cycle from, Cycle to) override {
    held_.push_back({&account, code, from, to, clock_.now});
  }
  /// Cycle in which the oldest interval would have been told; ~0: there is none.
  [[nodiscard]] Cycle next() const { return next_ == held_.size() ? ~Cycle{0} : held_[next_].at; }
  /// Tells all intervals that would have been told in cycles up to `last`.
  void tell(Cycle last) {
    for (; next_ < held_.size() && held_[next_].at <= last; ++next_) {
      const Held& held = held_[next_];
      Place& place = *std::find_if(places_.begin(), places_.end(), [&held](const Place& one) {
        return one.account == held.account;
      });
      place.observer->interval(*held.account, held.code, held.from, held.to);
      place.told = held.to;
    }
    if (next_ == held_.size()) forget();
  }
  /// Forgets what has not been told, and gives the accounts their observers back.
  void release() {
    for (const Place& place : places_) place.account->observe(place.observer, place.told);
    places_.clear();
    forget();
  }

 private:
  struct Place {
    Account* account;
    AccountObserver* observer;
    Cycle told;  ///< the observer has been told of the cycles before
  };
  struct Held {
    const Account* account;
    unsigned code;
    Cycle from, to;
    Cycle at;  ///< see next()
  };
  void forget() {
    held_.clear();
    next_ = 0;
  }

  const Clock& clock_;
  std::vector<Place> places_;
  std::vector<Held> held_;
  std::size_t next_ = 0;  ///< the first that has not been told
};

}  // namespace tactus
