// Self-tests: small programs with known results, for any architecture, without external data.
//
// Expected results come from scalar arithmetic, or from real numbers with a tolerance; they never
// come from the simulated data path. A test that an architecture does not allow is skipped with a
// reason.
// Sources: toolchain spec sections 0.2, 6.5, 10.4, 10.5; hardware spec section 12.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/driver/tcu/simulation.h"

namespace tactus {

enum class SelftestStatus { passed, failed, skipped };

struct SelftestResult {
  std::string name;
  SelftestStatus status = SelftestStatus::failed;
  std::string detail;  ///< one line: what was tested, the failure, or the reason of skipping
  Cycle cycles = 0;    ///< simulated cycles of all runs
  std::uint64_t instructions = 0;  ///< executed instructions of all runs
};

enum class SelftestEffort {
  normal,  ///< seconds: long sweeps run an evenly spread sample of their cases
  full,    ///< every case; minutes to hours
};

struct SelftestOptions {
  std::string filter;      ///< run tests whose names contain this; empty: all
  std::uint64_t seed = 1;  ///< seed of the data and of the sample of cases
  SelftestEffort effort = SelftestEffort::normal;
  /// Rounding that the machine is expected to have; empty: the configured one.
  std::optional<tcu::MacRounding> expected_rounding;
  Cycle max_cycles = 50'000'000;  ///< limit for one program; the test fails if it is reached
  /// Called after each test.
  std::function<void(const SelftestResult&)> on_result;
};

struct SelftestInfo {
  std::string_view name;
  std::string_view description;  ///< one line
};

/// Descriptions of tests, each with a member `info`.
template <typename Test>
[[nodiscard]] std::vector<SelftestInfo> infos_of(const std::vector<Test>& tests) {
  std::vector<SelftestInfo> infos;
  for (const Test& test : tests) infos.push_back(test.info);
  return infos;
}
/// Runs the tests that the filter selects: run(test) gives the result, without the name.
template <typename Test, typename Run>
[[nodiscard]] std::vector<SelftestResult> run_each(const std::vector<Test>& tests,
                                                   const SelftestOptions& options, Run&& run) {
  std::vector<SelftestResult> results;
  for (const Test& test : tests) {
    if (test.info.name.find(options.filter) == std::string_view::npos) continue;
    results.push_back(run(test));
    results.back().name = test.info.name;
    if (options.on_result) options.on_result(results.back());
  }
  return results;
}

/// All tests in the order in which they run.
[[nodiscard]] const std::vector<SelftestInfo>& selftests();

/// Runs each test on a machine of its own. Throws UserError for a configuration that cannot be
/// built, or a filter that matches no test.
[[nodiscard]] std::vector<SelftestResult> run_selftests(const TcuSimulationConfig& base,
                                                        const SelftestOptions& options = {});

}  // namespace tactus
