// Self-tests of a machine with a DPAS array: small kernels with known results and cycles, for any
// profile.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/driver/dpas/simulation.h"

namespace tactus {

struct DpasSelftestInfo {
  std::string_view name;
  std::string_view description;
};
[[nodiscard]] const std::vector<DpasSelftestInfo>& dpas_selftests();

struct DpasSelftestResult {
  std::string_view name;
  bool passed = false;
  Cycle cycles = 0;    ///< simulated cycles of all runs
  std::string detail;  ///< what was checked, or the first difference
};

struct DpasSelftestOptions {
  std::string filter;      ///< run tests whose names contain this; empty: all
  std::uint64_t seed = 1;  ///< seed of the data
  /// Called after each test.
  std::function<void(const DpasSelftestResult&)> on_result;
};

/// Runs each test on machines of its own, with one thread. Throws UserError for a configuration
/// that cannot be built, or a filter that matches no test.
std::vector<DpasSelftestResult> run_dpas_selftests(const DpasSimulationConfig& config,
                                                   const DpasSelftestOptions& options);

}  // namespace tactus
