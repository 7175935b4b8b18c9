#include "firmware/energy/dpas.h"

#include <algorithm>

#include "isa/dpas/timing.h"

namespace tactus::energy {
namespace {

/// Bits of a factor, the sizes for which an energy table is read.
constexpr double narrow = 8, half = 16, wide = 32;

/// Event of an energy table for each kind of multiply-accumulate, by MacKind.
constexpr Machine::HasEvent mac_events[dpas::mac_kinds] = {
    {Event::mac, narrow},
    {Event::mac_float, narrow},
    {Event::mac_float, half},
    {Event::mac_float, wide},
};

double register_bytes(const dpas::Profile& profile) {
  return static_cast<double>(profile.register_file_bytes());
}

/// Largest number of multiply-accumulates of a kind per cycle; 0: the array has no such precision.
std::uint64_t macs_a_cycle(const dpas::Profile& profile, dpas::MacKind kind) {
  unsigned most = 0;
  for (unsigned code = 0; code < dpas::precision_codes; ++code) {
    const auto precision = static_cast<dpas::Precision>(code);
    if (!profile.has(precision) || mac_kind(precision) != kind) continue;
    // Narrower integers use the same multipliers, so they add none.
    if (kind == dpas::MacKind::integer && dpas::info(precision).bits != narrow) continue;
    most = std::max(most, dpas::ops_per_channel(precision, precision));
  }
  return dpas::peak_macs(profile, most);
}

}  // namespace

Machine machine_of(const DpasSimulationConfig& config) {
  const dpas::MachineParameters& machine = config.machine;
  const dpas::Profile& profile = machine.profile;
  Machine result;
  result.kind = "a machine with a DPAS array";
  for (unsigned kind = 0; kind < dpas::mac_kinds; ++kind) {
    if (macs_a_cycle(profile, static_cast<dpas::MacKind>(kind)) == 0) continue;
    result.events.push_back(mac_events[kind]);
  }
  const double bytes = register_bytes(profile);
  for (const Machine::HasEvent& has :
       {Machine::HasEvent{Event::alu_lane}, Machine::HasEvent{Event::register_read, bytes},
        Machine::HasEvent{Event::register_write, bytes}, Machine::HasEvent{Event::dram_read},
        Machine::HasEvent{Event::dram_write}, Machine::HasEvent{Event::instruction}}) {
    result.events.push_back(has);
  }
  const std::uint64_t integers = macs_a_cycle(profile, dpas::MacKind::integer);
  const std::uint64_t floats = macs_a_cycle(profile, dpas::MacKind::float16);
  if (integers > 0) result.parts.push_back({Part::mac, narrow, integers});
  if (floats > 0) result.parts.push_back({Part::mac_float, half, floats});
  result.parts.push_back({Part::alu_lane, 0, profile.execution_size});
  result.parts.push_back({Part::memory_bit, 0,
                          8 * (std::uint64_t{machine.threads} * profile.register_file_bytes() +
                               profile.src1_buffer_bytes + profile.src2_buffer_bytes)});
  return result;
}

nlohmann::ordered_json energy_of(const Meter& meter, const RunResult& run,
                                 const DpasSimulationConfig& config, const MachineRates& rates) {
  const dpas::Profile& profile = config.machine.profile;
  const Counters& totals = run.accounting.totals;
  Counts counts;
  for (unsigned kind = 0; kind < dpas::mac_kinds; ++kind) {
    const std::uint64_t macs = totals.of("macs_by_kind", kind);
    if (macs == 0 && kind != 0) continue;
    counts.push_back({mac_events[kind].event, mac_events[kind].size, macs, 0});
  }
  counts.push_back({Event::alu_lane, 0, totals.of("alu_lanes"), 0});
  const auto registers = [&](Event event, const char* name) {
    const std::uint64_t count = totals.of(name);
    counts.push_back({event, register_bytes(profile), count, 8 * profile.grf_bytes * count});
  };
  registers(Event::register_read, "grf_reads");
  registers(Event::register_write, "grf_writes");
  const auto beats = [&](Event event, const char* name) {
    const std::uint64_t bytes = totals.of(name) * rates.beat_bytes;
    counts.push_back({event, 0, bytes / profile.grf_bytes, 8 * bytes});
  };
  beats(Event::dram_read, "read_beats");
  beats(Event::dram_write, "write_beats");
  counts.push_back({Event::instruction, 0, run.retired, 0});
  return meter.energy(counts, run.cycles, config.clock_mhz);
}

}  // namespace tactus::energy
