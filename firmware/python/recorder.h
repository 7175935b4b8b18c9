// Records events and the intervals of accounts as rows of plain values.
#pragma once

#include <algorithm>
#include <cstdint>
#include <tuple>
#include <utility>
#include <vector>

#include "models/sim/account.h"
#include "models/sim/events.h"

namespace tactus::python {

/// An event without its data. Cycles count from the machine's start.
struct EventRow {
  std::uint64_t cycle;
  std::uint8_t kind;  ///< index in MachineInfo::events
  std::uint8_t port;
  std::uint64_t a, b, c;
};

/// Collects events. They are sorted by cycle, kind, port and operands, so that their order does not
/// depend on the order in which units are evaluated.
class EventRows final : public EventSink {
 public:
  std::vector<EventRow> rows;

  void event(const Event& event) override {
    rows.push_back(
        {0, event.kind, static_cast<std::uint8_t>(event.port), event.a, event.b, event.c});
  }
  void end_of_cycle(Cycle cycle) override {
    const auto first = rows.begin() + static_cast<std::ptrdiff_t>(done_);
    for (auto row = first; row != rows.end(); ++row) row->cycle = cycle;
    std::sort(first, rows.end(), [](const EventRow& x, const EventRow& y) {
      return std::tie(x.kind, x.port, x.a, x.b, x.c) < std::tie(y.kind, y.port, y.a, y.b, y.c);
    });
    done_ = rows.size();
  }

 private:
  std::size_t done_ = 0;  ///< number of rows of completed cycles
};

/// An interval of an account: a unit was in one state in the machine's cycles [begin, end).
struct AccountRow {
  std::uint64_t begin, end;
  std::uint8_t unit;   ///< index in the machine's list of accounts
  std::uint8_t state;  ///< index in the states of the unit
  /// Kind of the instruction at the unit's head: 0 for none, k + 1 for MachineInfo::kinds[k].
  std::uint8_t kind;
};

/// Collects the intervals of all accounts.
class AccountRows final : public AccountObserver {
 public:
  explicit AccountRows(std::vector<Account*> accounts) : accounts_(std::move(accounts)) {}

  std::vector<AccountRow> rows;

  void interval(const Account& account, unsigned code, Cycle begin, Cycle end) override {
    const auto place = std::find(accounts_.begin(), accounts_.end(), &account);
    const auto states = static_cast<unsigned>(account.states().count);
    rows.push_back({begin, end, static_cast<std::uint8_t>(place - accounts_.begin()),
                    static_cast<std::uint8_t>(code % states),
                    static_cast<std::uint8_t>(code / states)});
  }

 private:
  std::vector<Account*> accounts_;
};

}  // namespace tactus::python
