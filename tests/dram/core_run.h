// Runs accesses on a DdrCore and records all results.
#pragma once

#include <vector>

#include "models/dram/ddr_core.h"

namespace tactus::dram {

struct CoreAccess {
  DdrClock arrival = 0;
  std::uint64_t address = 0;
  bool write = false;
  unsigned port = 0;
};

struct CoreRun : DdrObserver {
  std::vector<DdrCommand> commands;
  std::vector<DdrDone> done;       ///< index: number of the access
  std::vector<DdrClock> admitted;  ///< index: number of the access
  /// Clock at which the port accepted the access: its arrival, or later if the port was full.
  /// Index: number of the access.
  std::vector<DdrClock> taken;
  DdrStatistics statistics;

  void command(const DdrCommand& command) override { commands.push_back(command); }
};

/// Submits all accesses at the start, numbered in their order, and runs until all are done, and at
/// least to `end`.
inline CoreRun run_core(const DdrConfig& config, const std::vector<CoreAccess>& accesses,
                        const DdrRules& rules, unsigned ports = 1, DdrClock end = 0,
                        const DdrArbitration& arbitration = {}) {
  CoreRun run;
  DdrCore core(config, ports, rules, arbitration);
  core.observe(&run);
  run.done.resize(accesses.size());
  run.admitted.resize(accesses.size());
  for (std::size_t i = 0; i < accesses.size(); ++i) {
    const CoreAccess& a = accesses[i];
    (void)core.submit(a.port, a.arrival, a.address, a.write, static_cast<std::uint32_t>(i));
    run.taken.push_back(a.arrival);
  }
  // Advances clock by clock, so that no refresh follows the last access.
  for (DdrClock clock = 0; !core.idle() || clock <= end; ++clock) core.advance(clock);
  for (const DdrCore::Mark& mark : core.admitted) run.admitted[mark.tag] = mark.clock;
  for (const DdrCore::Mark& mark : core.taken) run.taken[mark.tag] = mark.clock;
  for (const DdrDone& done : core.done) run.done[done.tag] = done;
  run.statistics = core.statistics();
  return run;
}

inline CoreRun run_core(const DdrConfig& config, const std::vector<CoreAccess>& accesses,
                        unsigned ports = 1) {
  return run_core(config, accesses, DdrRules(config), ports);
}

}  // namespace tactus::dram
