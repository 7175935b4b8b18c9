// What observers of accounts and events, and the sampler, see while instructions are taken in
// sequences.
//
// Each interval is remembered with the changes of the accounts' states, the events, and the changes
// of the queues' levels and of the sampler's flags, in the order in which they occurred. Observers
// are told of them whenever the interval is taken. While an interval is worked out, accounts and
// events belong to it, and observers are not told.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "models/sim/account.h"
#include "models/sim/events.h"
#include "models/tcu/fast/known_sequences.h"
#include "models/tcu/sampler/sampler.h"

namespace tactus {

class ObservedChanges final : private EventSink {
 public:
  using Change = KnownSequences::Change;
  /// `sampler`: null if the machine has none.
  ObservedChanges(Clock& clock, const Sampler* sampler) : clock_(clock), sampler_(sampler) {}

  /// Lists the accounts, in the order of their numbers.
  void list(const std::vector<Account*>& accounts);
  /// Records the changes of this account even if nobody observes it.
  void record(std::size_t account) { recorded_.push_back(account); }
  /// True if the same accounts and events are observed as at the call of list().
  [[nodiscard]] bool holds() const;
  /// Numbers of the accounts whose changes are recorded.
  [[nodiscard]] const std::vector<std::size_t>& recorded() const { return recorded_; }
  /// Kinds of events that are recorded.
  [[nodiscard]] EventKinds kinds() const { return kinds_; }
  /// True if the flags of a sampler are recorded.
  [[nodiscard]] bool has_flags() const { return sampler_ != nullptr; }
  /// True if anything was observed at the call of list().
  [[nodiscard]] bool are_observed() const { return observed_; }

  // ---- of a sequence

  /// Begins a sequence in the current cycle: observers are told only what follows.
  void begin();
  /// Sets the cycle of what is told next. It must not be before the last one.
  void tell_cycle(Cycle now);
  /// Tells that the account is in this state from cycle `at` on, which must not be before the last
  /// cycle told. It may be the state of before: in `at` the account has then left it and returned.
  void tell(std::size_t account, unsigned code, Cycle at);
  void tell(const Event& event) { sink_->event(event); }
  void tell_level(unsigned queue, std::uint64_t items) { sink_->level(queue, items); }
  /// Does what Account::settle() of the last account does, at a border of a region, in cycle `at`.
  void settle_time(Cycle at);
  /// Ends the sequence before cycle `now`. The accounts are in the states of this cycle.
  void end(Cycle now);

  // ---- of an interval that is worked out

  /// Begins an interval that is worked out, in this cycle.
  void begin_interval(Cycle from);
  /// Repeats the changes of cycles [from, to) `times` more, each time after to - from cycles.
  void repeat(Cycle from, Cycle to, std::uint64_t times);
  /// Ends the interval and returns its changes, in the order in which they occurred.
  void end_interval(std::vector<Change>& changes);

 private:
  static constexpr std::size_t none = ~std::size_t{0};
  /// Notes the changes of one account.
  class Recorder final : public AccountObserver {
   public:
    Recorder(ObservedChanges& changes, std::size_t account)
        : changes_(changes), account_(account) {}
    void interval(const Account& /*account*/, unsigned code, Cycle /*from*/, Cycle to) override {
      changes_.note(account_, code, to);
    }

   private:
    ObservedChanges& changes_;
    std::size_t account_;
  };
  struct Entry {
    Account* account = nullptr;
    bool observed = false;
    std::unique_ptr<Recorder> recorder;
    AccountObserver* observer = nullptr;  ///< the account's observer while a sequence is taken
    // What the observer has been told.
    unsigned code = 0;
    Cycle since = 0;
    // For the interval that is worked out.
    unsigned first_code = 0;
    std::size_t last = none;  ///< place of the last change, whose state is not known yet
  };

  void note(std::size_t account, unsigned code, Cycle to);
  void note_first(std::size_t account, unsigned code);
  void note(unsigned what, unsigned port, std::uint64_t code);
  /// Kinds of events that the current observer wants; 0: there is none.
  [[nodiscard]] EventKinds wanted_kinds() const {
    return clock_.events == nullptr ? 0 : clock_.events->kinds();
  }
  // Receives the events of the interval that is worked out.
  void event(const Event& event) override;
  void level(unsigned queue, std::uint64_t items) override;
  void end_of_cycle(Cycle cycle) override;
  [[nodiscard]] const Change* flags_before(std::size_t end) const;

  Clock& clock_;
  const Sampler* sampler_;
  std::optional<std::uint16_t> flags_;  ///< the sampler's flags noted last
  EventKinds kinds_ = 0;                ///< see kinds()
  EventSink* sink_ = nullptr;           ///< the observer of events while a sequence is taken
  Cycle told_ = 0;                      ///< last cycle in which something was told
  std::vector<Entry> entries_;
  std::vector<std::size_t> recorded_;
  bool observed_ = false;
  Cycle began_ = 0;
  std::vector<Change> changes_;
};

}  // namespace tactus
