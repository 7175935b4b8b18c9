// Energy from counted events and a table that somebody names a source for.
//
//   {"name": "relative", "source": "where the numbers are from", "unit": "relative",
//    "events": {"mac": 1, "simd_lane": 1, "local_read": 10, "local_write": 10,
//               "accumulator_read": 10, "accumulator_write": 10, "dram_read": 100,
//               "dram_write": 100, "instruction": 0},
//    "static_per_cycle": 0}
//
// Reads and writes count vectors, mac a multiply-accumulate, simd_lane a lane of a SIMD operation.
// Every key is needed: what is not counted says 0. The unit is "pJ" or "relative".
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace tactus::codesign {

enum class Event {
  mac,
  simd_lane,
  local_read,
  local_write,
  accumulator_read,
  accumulator_write,
  dram_read,
  dram_write,
  instruction,
};
inline constexpr std::array<std::string_view, 9> event_names{
    "mac",       "simd_lane",  "local_read", "local_write", "accumulator_read", "accumulator_write",
    "dram_read", "dram_write", "instruction"};

/// By Event.
using EventCounts = std::array<std::uint64_t, event_names.size()>;

struct EnergyTable {
  std::string name, source;
  bool picojoules = false;  ///< else relative units
  std::array<double, event_names.size()> events{};
  double static_per_cycle = 0;
};

/// Throws UserError with everything that is wrong, with JSON paths.
[[nodiscard]] EnergyTable parse_energy_table(std::string_view json, const std::string& where);
[[nodiscard]] EnergyTable read_energy_table(const std::string& path);

/// {"table", "source", "unit", "total", "static", "by_event"}, and "power_mw" where the table is in
/// picojoules.
[[nodiscard]] nlohmann::ordered_json energy(const EnergyTable& table, const EventCounts& counts,
                                            std::uint64_t cycles, double clock_mhz);

}  // namespace tactus::codesign
