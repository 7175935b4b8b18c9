// Scheduler `frfcfs`: first ready, first come, first served. The candidate is
//
//   1. the bank's oldest access, if `cap` younger ones were served before it
//   2. else the oldest access to the open row
//   3. else the oldest access
//
// If ports are ranked (ddr_arbitration.h), rules 2 and 3 consider the accesses of the lowest rank
// in the bank.
#pragma once

#include "models/dram/ddr_banks.h"
#include "models/dram/scheduler/scheduler.h"

namespace tactus {

class DdrFrfcfs : public DdrBankScheduler {
 public:
  /// `cap` = 0: no limit.
  explicit DdrFrfcfs(unsigned cap) : cap_(cap) {}

  [[nodiscard]] int pick(const DdrAccesses& accesses, const DdrAccesses::List& queue,
                         std::int64_t open_row) const override {
    if (is_due(accesses[queue.first])) return queue.first;
    return pick_of(accesses, queue, open_row, [](const DdrAccess&) { return true; });
  }

 protected:
  /// Rule 1.
  [[nodiscard]] bool is_due(const DdrAccess& oldest) const {
    return cap_ != 0 && oldest.passed >= cap_;
  }
  /// Rules 2 and 3 among the accesses that `considers` says; -1: there is none.
  template <typename F>
  static int pick_of(const DdrAccesses& accesses, const DdrAccesses::List& queue,
                     std::int64_t open_row, F&& considers) {
    const int oldest = queue.first;
    if (accesses[oldest].next < 0) return considers(accesses[oldest]) ? oldest : -1;
    int first = -1;
    bool hit = false;  ///< `first` accesses the open row
    for (int slot = oldest; slot >= 0; slot = accesses[slot].next) {
      const DdrAccess& access = accesses[slot];
      if (!considers(access)) continue;
      const bool is_hit = open_row == access.address.row;
      if (first >= 0) {
        const unsigned rank = accesses[first].rank;
        if (access.rank > rank || (access.rank == rank && (hit || !is_hit))) continue;
      }
      first = slot;
      hit = is_hit;
      if (access.rank == 0 && (hit || open_row == DdrBanks::closed)) break;
    }
    return first;
  }

 private:
  unsigned cap_;
};

}  // namespace tactus
