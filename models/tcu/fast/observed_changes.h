// What observers of accounts and events, and the sampler, see while instructions are taken in
// sequences.
//
// With an interval the changes of the accounts' states, the events, and the changes of the queues'
// levels and of the sampler's flags are remembered, in the order in which they came, and they are
// told whenever the interval is taken. Meanwhile accounts and events themselves belong to intervals
// that are worked out, and their observers are not told of these.
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

  /// The accounts, in the order of their numbers.
  void list(const std::vector<Account*>& accounts);
  /// Changes of this account are recorded even if nobody observes it. `whole`: each interval begins
  /// with its state, which is not always that in which the interval before ended.
  void record(std::size_t account, bool whole);
  /// They are not recorded: whoever calls tell() works them out.
  void leave_out(std::size_t account);
  /// Whether the same accounts and events are observed as when they were listed.
  [[nodiscard]] bool holds() const;
  /// Whether one of them was.
  [[nodiscard]] bool are_observed() const { return observed_; }

  // ---- of a sequence

  /// A sequence begins in the present cycle: observers hear only of what is told below.
  void begin();
  /// What is told next happens in this cycle, which is not before the last one told.
  void tell_cycle(Cycle now);
  /// The account is in this state from cycle `at` on, which is not before the last one told.
  void tell(std::size_t account, unsigned code, Cycle at);
  /// The state that was told last.
  [[nodiscard]] unsigned code(std::size_t account) const { return entries_[account].code; }
  void tell(const Event& event) { sink_->event(event); }
  void tell_level(unsigned queue, std::uint64_t items) { sink_->level(queue, items); }
  /// As Account::settle() of the last account, which is asked at borders of regions, in cycle `at`.
  void settle_time(Cycle at);
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
  void note(unsigned what, unsigned port, std::uint64_t code);
  /// Kinds of events that the present observer looks at; 0: there is none.
  [[nodiscard]] EventKinds wanted_kinds() const {
    return clock_.events == nullptr ? 0 : clock_.events->kinds();
  }
  // Events of the interval that is worked out.
  void event(const Event& event) override;
  void level(unsigned queue, std::uint64_t items) override;
  void end_of_cycle(Cycle cycle) override;
  [[nodiscard]] const Change* flags_before(std::size_t end) const;

  Clock& clock_;
  const Sampler* sampler_;
  std::optional<std::uint16_t> flags_;  ///< of the sampler, noted last
  EventKinds kinds_ = 0;                ///< of events that are recorded
  EventSink* sink_ = nullptr;           ///< while a sequence is taken
  Cycle told_ = 0;                      ///< the cycle in which something was told last
  std::vector<Entry> entries_;
  std::vector<std::size_t> recorded_;
  bool observed_ = false;
  Cycle began_ = 0;
  std::vector<Change> changes_;
};

}  // namespace tactus
