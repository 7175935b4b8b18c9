// DPAS machines for tests: configuration by profile name, runs of built kernels, issue cycles.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/config/config_files.h"
#include "firmware/driver/dpas/simulation.h"
#include "isa/dpas/timing.h"
#include "tests/dpas/kernel_builder.h"

namespace tactus::dpas {

inline Profile profile(const std::string& name) { return read_profile(config_path("dpas", name)); }

/// Returns a configuration with ideal memory, one thread, and defaults otherwise.
inline DpasSimulationConfig config_of(const std::string& profile_name) {
  DpasSimulationConfig config;
  config.machine.profile = profile(profile_name);
  config.machine.memory = MemoryKind::ideal;
  return config;
}

struct Ran {
  DpasRunResult result;
  std::vector<std::uint32_t> issues;  ///< issue cycle of every instruction, in order of issue
};

/// Runs the same kernel in `threads` threads.
inline Ran run(DpasSimulation& simulation, KernelBuilder& builder, unsigned threads = 1) {
  Ran ran;
  RunOptions options;
  options.retire_log = &ran.issues;
  options.max_cycles = 10'000'000;
  std::vector<DpasThread> starts(threads);
  for (DpasThread& start : starts) start.kernel = &builder.kernel();
  const std::uint64_t first = simulation.now();
  ran.result = simulation.run(builder.program(), starts, options);
  for (std::uint32_t& issue : ran.issues) issue -= static_cast<std::uint32_t>(first);
  return ran;
}
inline Ran run(const DpasSimulationConfig& config, KernelBuilder& builder, unsigned threads = 1) {
  DpasSimulation simulation(config);
  return run(simulation, builder, threads);
}

}  // namespace tactus::dpas
