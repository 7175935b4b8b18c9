// tactus gemm: matrix products on machines side by side, or the built-in one on a TCU.
#include <algorithm>

#include <fmt/core.h>

#include "firmware/cli/args.h"
#include "firmware/cli/bench/gemm_comparison.h"
#include "firmware/cli/commands.h"
#include "firmware/cli/machine_options.h"
#include "firmware/cli/parameter_options.h"
#include "firmware/selftest/tcu/gemm_measurement.h"
#include "isa/support/quantity.h"
#include "models/sim/array_figures.h"

namespace tactus {

namespace {

/// Runs the built-in matrix product on a TCU and reports the host's speed.
int run_built_in(const Args& args) {
  TcuSimulationConfig config;
  (void)read_board_option(args, config);
  if (const auto arch = args.text("arch")) config.architecture = read_architecture_option(*arch);
  read_machine_options(args, config);

  TcuSimulation simulation(config);
  const GemmResult result = run_gemm(simulation, gemm_shape(config.architecture));
  const TcuRunResult& run = result.run;
  const std::uint64_t n = config.architecture.array_size;
  const auto line = [](const char* name, const std::string& value) {
    fmt::print("{:<14}{}\n", name, value);
  };
  line("program",
       fmt::format("bench_gemm: {} x {} times {} x {}", result.shape.rows, result.shape.inner * n,
                   result.shape.inner * n, result.shape.outer * n));
  line("machine",
       fmt::format("{}x{} {}, AXI {} bits, {}", n, n, info(config.architecture.data_type).name,
                   config.axi_data_bits, memory_text(config)));
  line("cycles",
       fmt::format("{} = {} at {:g} MHz", run.cycles,
                   time_text(cycles_in_ms(run.cycles, config.clock_mhz)), config.clock_mhz));
  line("instructions", fmt::format("{}", run.instructions));
  line(
      "array",
      fmt::format(
          "{} multiply-accumulates; array busy {:.1f} %, useful MAC {:.1f} %",
          result.multiply_accumulates, 100 * result.array_busy,
          100 * array_figures::useful(result.multiply_accumulates, run.cycles, n * n).value_or(0)));
  line("host",
       fmt::format("{:.3f} s, {:.2f} Mcycles/s, {:.2f} GMAC/s", result.host_seconds,
                   static_cast<double>(run.cycles) / result.host_seconds / 1e6,
                   static_cast<double>(result.multiply_accumulates) / result.host_seconds / 1e9));
  if (!result.wrong.empty()) {
    fmt::print("{:<14}WRONG: {}\n", "result", result.wrong);
    return exit_mismatch;
  }
  line("result", fmt::format("{} of {} vectors compared, all equal", result.checked, result.rows));
  return exit_ok;
}

std::vector<Args::Option> gemm_options() {
  std::vector<Args::Option> list = comparison_options();
  Args::Option arch{"arch", "NAME|F.tarch",
                    "architecture of the built-in product (default: pynqz1)"};
  arch.group = "Built-in product";
  list.push_back(arch);
  for (Args::Option& option : machine_options()) {
    const bool known = std::any_of(list.begin(), list.end(), [&](const Args::Option& other) {
      return other.name == option.name;
    });
    if (known) continue;
    if (option.group != "Board") option.group = "Built-in product";
    list.push_back(std::move(option));
  }
  return list;
}

}  // namespace

int gemm_command(const Words& words) {
  Args args(
      "gemm",
      "Multiplies matrices on machines with a DPAS array and on TCUs, cycle by cycle, checks\n"
      "every result against a plain loop, and compares what it cost. Without --shape and\n"
      "--list it runs the built-in product of a TCU, tiled to fill local memory.",
      gemm_options());
  explain_request_options(args, Asker::products);
  if (!args.parse(words)) return exit_ok;
  return compares(args) ? run_comparison(args) : run_built_in(args);
}

}  // namespace tactus
