// Refresh `all_bank`: at every multiple of t_refi a refresh of all banks falls due and is done at
// once: PREA as soon as all open banks allow it (left out if none is open), then REF, t_rp after
// PREA. The banks are free t_rfc after REF.
#pragma once

#include <algorithm>

#include "models/dram/refresh/refresh_manager.h"

namespace tactus {

class DdrAllBankRefresh final : public DdrRefreshManager {
 public:
  DdrAllBankRefresh(DdrClock interval, DdrClock duration)
      : interval_(interval), duration_(duration) {
    state_.due = interval;
  }

  [[nodiscard]] Command next(const DdrBanks& banks, DdrClock floor) const override {
    if (banks.open() != 0) {
      return {DdrCommandKind::prea, std::max(floor, banks.earliest_prea())};
    }
    return {DdrCommandKind::ref, std::max(floor, banks.earliest_ref())};
  }
  void finish(DdrClock ref) override {
    state_.end = ref + duration_;
    state_.due += interval_;
  }
  Skipped skip(DdrClock until) override {
    constexpr DdrClock kept = 8;
    const DdrClock due = until < state_.due ? 0 : (until - state_.due) / interval_;
    if (due <= kept) return {};
    state_.due += (due - kept) * interval_;
    return {due - kept, (due - kept) * duration_};
  }

 private:
  DdrClock interval_, duration_;
};

}  // namespace tactus
