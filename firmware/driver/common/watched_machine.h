// A machine with its clock, as those see it who look at it: waveforms, timelines, accounts.
#pragma once

#include "models/sim/machine.h"

namespace tactus {

class WatchedMachine {
 public:
  WatchedMachine(const WatchedMachine&) = delete;
  WatchedMachine& operator=(const WatchedMachine&) = delete;
  virtual ~WatchedMachine() = default;

  [[nodiscard]] Machine& machine() { return *machine_; }
  [[nodiscard]] const Machine& machine() const { return *machine_; }
  [[nodiscard]] const MachineInfo& info() const { return machine_->info(); }
  [[nodiscard]] Cycle now() const { return clock_->now; }
  [[nodiscard]] std::uint64_t period_ps() const { return clock_->period_ps; }

  /// Receives events from the next run on; null: nobody.
  void observe(EventSink* sink) { clock_->events = sink; }
  /// Shows every cycle's signals from the next run on; null: to nobody.
  void watch(CycleWatcher* watcher) { clock_->watcher = watcher; }
  /// Receives every interval of every unit's account from the next run on; null: nobody.
  void observe_accounts(AccountObserver* observer) {
    for (Account* account : machine_->accounts()) {
      account->settle();
      account->observe(observer);
    }
  }
  /// The same of the account of MachineInfo::time only.
  void observe_time(AccountObserver* observer) {
    Account& time = *machine_->accounts().back();
    time.settle();
    time.observe(observer);
  }

 protected:
  WatchedMachine() = default;
  /// Once both exist.
  void show(Machine& machine, Clock& clock) {
    machine_ = &machine;
    clock_ = &clock;
  }

 private:
  Machine* machine_ = nullptr;
  Clock* clock_ = nullptr;
};

}  // namespace tactus
