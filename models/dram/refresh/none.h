// Refresh `none`: no refresh falls due.
#pragma once

#include "isa/support/error.h"
#include "models/dram/refresh/refresh_manager.h"

namespace tactus {

class DdrNoRefresh final : public DdrRefreshManager {
 public:
  [[nodiscard]] Command next(const DdrBanks& /*banks*/, DdrClock /*floor*/) const override {
    internal_error("a DRAM without refreshes is refreshed");
  }
  void finish(DdrClock /*ref*/) override {}
  Skipped skip(DdrClock /*until*/) override { return {}; }
};

}  // namespace tactus
