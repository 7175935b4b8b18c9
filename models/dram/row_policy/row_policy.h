// Row policy (page policy) of a DRAM controller: when a row is closed that no other row replaces.
//
// Each class has a file in this folder; make.cpp makes the one that a DdrConfig names.
#pragma once

#include <memory>

#include "isa/dram/ddr_config.h"
#include "models/dram/ddr_access.h"
#include "models/dram/ddr_command.h"

namespace tactus {

class DdrRowPolicy {
 public:
  virtual ~DdrRowPolicy() = default;

  /// True if RD or WR for the access closes its row (RDA, WRA). `queue` has all accesses of its
  /// bank, oldest first.
  [[nodiscard]] virtual bool closes_behind(const DdrAccesses& /*accesses*/,
                                           const DdrAccesses::List& /*queue*/, int /*slot*/) const {
    return false;
  }
  /// Clocks after the last RD or WR of a bank from which on PRE closes its row while no access of
  /// the bank waits; `never`: the row stays open.
  [[nodiscard]] virtual DdrClock timeout() const { return never; }
};

[[nodiscard]] std::unique_ptr<DdrRowPolicy> make_row_policy(const DdrConfig& config);

}  // namespace tactus
