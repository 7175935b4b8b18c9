// Pass the events and the accounts of one machine to several observers.
#pragma once

#include <vector>

#include "models/sim/account.h"
#include "models/sim/events.h"

namespace tactus {

class EventFan final : public EventSink {
 public:
  void add(EventSink* sink) { sinks_.push_back(sink); }
  [[nodiscard]] bool empty() const { return sinks_.empty(); }

  void event(const Event& event) override {
    for (EventSink* sink : sinks_) sink->event(event);
  }
  void end_of_cycle(Cycle cycle) override {
    for (EventSink* sink : sinks_) sink->end_of_cycle(cycle);
  }
  void level(unsigned queue, std::uint64_t items) override {
    for (EventSink* sink : sinks_) sink->level(queue, items);
  }
  /// The kinds that the sinks look at; 0 if one sink looks at all of every event.
  [[nodiscard]] EventKinds kinds() const override {
    EventKinds all = 0;
    for (const EventSink* sink : sinks_) {
      if (sink->kinds() == 0) return 0;
      all |= sink->kinds();
    }
    return all;
  }

 private:
  std::vector<EventSink*> sinks_;
};

class AccountFan final : public AccountObserver {
 public:
  void add(AccountObserver* observer) { observers_.push_back(observer); }
  [[nodiscard]] bool empty() const { return observers_.empty(); }

  void interval(const Account& account, unsigned code, Cycle from, Cycle to) override {
    for (AccountObserver* observer : observers_) observer->interval(account, code, from, to);
  }

 private:
  std::vector<AccountObserver*> observers_;
};

}  // namespace tactus
