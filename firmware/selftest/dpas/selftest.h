// Self-tests of a machine with a DPAS array: small kernels with known results and cycles, for any
// profile.
#pragma once

#include <vector>

#include "firmware/driver/dpas/simulation.h"
#include "firmware/selftest/tcu/selftest.h"

namespace tactus {

[[nodiscard]] const std::vector<SelftestInfo>& dpas_selftests();

/// Runs each test on machines of its own, with one thread, as run_selftests() does. Of the options,
/// filter, seed and on_result apply.
[[nodiscard]] std::vector<SelftestResult> run_dpas_selftests(const DpasSimulationConfig& config,
                                                             const SelftestOptions& options);

}  // namespace tactus
