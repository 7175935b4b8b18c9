#include "firmware/report/run_sums.h"

#include <string>

#include <nlohmann/json.hpp>

#include "firmware/report/run_figures.h"

namespace tactus {
namespace {

/// The accounts of the waiting at the DRAM ports and at the instruction stream.
constexpr std::string_view memory_accounts[] = {"memory0", "memory1", "stream_memory"};

}  // namespace

void RunSums::add(const Accounting& accounting) {
  totals += accounting.totals;
  for (const std::string_view name : memory_accounts) {
    if (!accounting.has(name)) continue;
    const UnitCycles& run = accounting.unit(name);
    const auto [sum, fresh] = memories.try_emplace(name, run);
    for (std::size_t s = 0; s < run.cycles.size() && !fresh; ++s) {
      sum->second.cycles[s] += run.cycles[s];
    }
  }
}

std::uint64_t RunSums::queued() const {
  std::uint64_t cycles = 0;
  for (const auto& [name, memory] : memories) {
    for (std::size_t s = 0; s < memory.cycles.size(); ++s) {
      if (memory.states[s].name == "queue") cycles += memory.cycles[s];
    }
  }
  return cycles;
}

nlohmann::ordered_json waits_json(const RunSums& sums) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const auto& [name, memory] : sums.memories) {
    for (std::size_t s = 0; s < memory.cycles.size(); ++s) {
      json[std::string(name)][std::string(memory.states[s].name)] = memory.cycles[s];
    }
  }
  return json;
}

nlohmann::ordered_json lost_json(const Counters& totals) {
  nlohmann::ordered_json json = nlohmann::ordered_json::object();
  for (const LostCycles& lost : lost_cycles(totals)) {
    json[std::string(totals.info->time.states[lost.reason].name)] = lost.cycles;
  }
  return json;
}

}  // namespace tactus
