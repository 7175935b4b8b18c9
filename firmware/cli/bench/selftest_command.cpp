// tactus selftest: built-in programs with known results, on any architecture.
#include <algorithm>

#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/machine_options.h"
#include "firmware/cli/run/dpas_plan.h"
#include "firmware/cli/run/dpas_run.h"
#include "firmware/selftest/dpas/selftest.h"
#include "firmware/selftest/tcu/selftest.h"

namespace tactus {
namespace {

const char* status_name(SelftestStatus status) {
  switch (status) {
    case SelftestStatus::passed:
      return "passed";
    case SelftestStatus::failed:
      return "FAILED";
    case SelftestStatus::skipped:
      return "skipped";
  }
  return "";
}

int list_tests(const std::vector<SelftestInfo>& tests) {
  for (const SelftestInfo& test : tests) fmt::print("{:<22} {}\n", test.name, test.description);
  return exit_ok;
}

SelftestOptions read_selftest_options(const Args& args) {
  SelftestOptions selftest;
  selftest.filter = args.text("filter").value_or("");
  selftest.seed = args.number("seed", 1, 0, ~std::uint64_t{0});
  selftest.on_result = [](const SelftestResult& result) {
    fmt::print("{:<8} {:<22} {:>10} cycles  {}\n", status_name(result.status), result.name,
               result.cycles, result.detail);
    std::fflush(stdout);
  };
  return selftest;
}

int tell_total(const std::vector<SelftestResult>& results) {
  const auto count = [&](SelftestStatus status) {
    return std::count_if(results.begin(), results.end(),
                         [&](const SelftestResult& r) { return r.status == status; });
  };
  fmt::print("{} passed, {} failed, {} skipped\n", count(SelftestStatus::passed),
             count(SelftestStatus::failed), count(SelftestStatus::skipped));
  return count(SelftestStatus::failed) == 0 ? exit_ok : exit_mismatch;
}

std::vector<Args::Option> dpas_options() {
  std::vector<Args::Option> result = {
      {"machine", "NAME|F.json", "tcu (default), or a DPAS profile of configs/dpas"},
      {"filter", "TEXT", "only tests whose names contain TEXT"},
      {"list", "", "print the tests and what they do"},
      {"seed", "N", "of data (default 1)"}};
  for (Args::Option& option : dpas_machine_options()) result.push_back(std::move(option));
  return result;
}

std::vector<Args::Option> selftest_options() {
  std::vector<Args::Option> result = {
      {"machine", "NAME|F.json", "tcu (default), or a DPAS profile of configs/dpas such as pvc"},
      {"arch", "NAME|F.tarch", "architecture (default: pynqz1, 8x8 FP16BP8)"},
      {"filter", "TEXT", "only tests whose names contain TEXT"},
      {"list", "", "print the tests and what they do"},
      {"full", "", "every case of the sweeps: minutes to hours"},
      {"seed", "N", "of data and of the sample of cases (default 1)"},
  };
  for (Args::Option& option : machine_options()) result.push_back(std::move(option));
  return result;
}

}  // namespace

int selftest_command(const Words& words) {
  if (const auto machine = other_machine(words)) {
    Args args("selftest", "Runs small kernels with known results and cycles on a DPAS machine.",
              dpas_options());
    if (!args.parse(words)) return exit_ok;
    if (args.has("list")) return list_tests(dpas_selftests());
    return tell_total(
        run_dpas_selftests(plan_dpas_machine(args, *machine), read_selftest_options(args)));
  }
  Args args("selftest",
            "Runs small programs with known results on an architecture: memories, array, SIMD,\n"
            "sampling, a network, and cycle budgets. Needs no outside data.",
            selftest_options());
  if (!args.parse(words)) return exit_ok;
  if (args.has("list")) return list_tests(selftests());
  TcuSimulationConfig config;
  (void)read_board_option(args, config);
  if (const auto arch = args.text("arch")) config.architecture = read_architecture_option(*arch);
  read_machine_options(args, config);
  SelftestOptions selftest = read_selftest_options(args);
  selftest.effort = args.has("full") ? SelftestEffort::full : SelftestEffort::normal;
  return tell_total(run_selftests(config, selftest));
}

}  // namespace tactus
