// A machine and its clock as its observers see them: waveforms, timelines, accounts.
#pragma once

#include "models/sim/kernel_time.h"
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
  [[nodiscard]] std::uint64_t period_fs() const { return femtoseconds(clock_->period); }

  /// Sets the receiver of events, from the next run on; null: none.
  void observe(EventSink* sink) { clock_->events = sink; }
  /// Sets the watcher that is called in every cycle, from the next run on; null: none.
  void watch(CycleWatcher* watcher) { clock_->watcher = watcher; }
  /// Sets the receiver of all intervals of all units' accounts, from the next run on; null: none.
  void observe_accounts(AccountObserver* observer) {
    for (Account* account : machine_->accounts()) {
      account->settle();
      account->observe(observer);
    }
  }
  /// Sets the receiver of the intervals of one account, that of MachineInfo::time.
  void observe_time(AccountObserver* observer) {
    Account& time = *machine_->accounts().back();
    time.settle();
    time.observe(observer);
  }

 protected:
  WatchedMachine() = default;
  /// Sets machine and clock. Call it once both exist.
  void show(Machine& machine, Clock& clock) {
    machine_ = &machine;
    clock_ = &clock;
  }

 private:
  Machine* machine_ = nullptr;
  Clock* clock_ = nullptr;
};

}  // namespace tactus
