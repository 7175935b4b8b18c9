// Sums over several runs: where the main unit's time went, and what the DRAM ports waited for.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/common/accounting.h"

namespace tactus {

struct RunSums {
  explicit RunSums(const MachineInfo& machine) : totals(machine) {}

  /// Adds a run, counted until the machine was idle.
  void add(const Accounting& accounting);
  /// Cycles in which a DRAM port, or the reader of the instruction stream, waits while the memory
  /// serves other accesses.
  [[nodiscard]] std::uint64_t queued() const;

  Counters totals;
  std::map<std::string_view, UnitCycles> memories;  ///< accounts of the ports' waiting, by unit
};

/// The cycles of all memories by state: {"memory0": {"path": 12, ...}, ...}.
[[nodiscard]] nlohmann::ordered_json waits_json(const RunSums& sums);
/// Lost cycles by reason, those without any left out.
[[nodiscard]] nlohmann::ordered_json lost_json(const Counters& totals);

}  // namespace tactus
