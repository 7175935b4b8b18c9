// The two figures of an array's utilisation: names, titles, meanings and formulas. All code that
// prints, writes or explains one of them uses these.
//
//   array busy   cycles in which the array multiplies a vector, over all cycles. Padding lanes,
//                padding pixels and vectors of zeroes count as work.
//   useful MAC   multiply-accumulates that the network asks for, over those that the array could
//                have done in all cycles (N x N each). Padding does not count.
//
// Both are shares from 0 to 1, percentages where a title ends with "%", and null without cycles.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "models/sim/machine_info.h"

namespace tactus::array_figures {

inline constexpr std::string_view busy_name = "array_busy";
inline constexpr std::string_view useful_name = "useful_mac";
inline constexpr std::string_view macs_name = "macs";

inline constexpr const char* busy_title = "array busy %";
inline constexpr const char* useful_title = "useful MAC %";

inline constexpr std::string_view busy_meaning =
    "share of the cycles in which the array multiplies a vector, padding and zero vectors "
    "included; null without cycles";
inline constexpr std::string_view useful_meaning =
    "macs / (cycles x the array's multiply-accumulates a cycle): the network's work as a share of "
    "what the array could have done; null if the network's macs are not known";
inline constexpr std::string_view macs_meaning =
    "multiply-accumulates that the network asks for, without those of padding pixels; null if not "
    "known, as for a bare program";

/// Cycles in which the array multiplies, over all cycles. N does not matter, since a multiplied
/// vector occupies every multiplier for one cycle.
[[nodiscard]] inline std::optional<double> busy(std::uint64_t busy_cycles, std::uint64_t cycles) {
  if (cycles == 0) return std::nullopt;
  return static_cast<double>(busy_cycles) / static_cast<double>(cycles);
}

/// The network's multiply-accumulates, over those that an array does at `peak_macs` per cycle.
[[nodiscard]] inline std::optional<double> useful(std::optional<std::uint64_t> macs,
                                                  std::uint64_t cycles, std::uint64_t peak_macs) {
  if (!macs || cycles == 0 || peak_macs == 0) return std::nullopt;
  return static_cast<double>(*macs) /
         (static_cast<double>(cycles) * static_cast<double>(peak_macs));
}

/// The row of array busy in a machine's table. `counter` counts the cycles in which the array
/// multiplies.
[[nodiscard]] inline FigureInfo busy_info(std::string_view meaning, std::string_view counter) {
  return {busy_name, "0..1", meaning, FigureInfo::Source::per_cycle, counter};
}
/// The row of the network's multiply-accumulates.
[[nodiscard]] inline FigureInfo macs_info() {
  return {macs_name, "count", macs_meaning, FigureInfo::Source::own};
}
[[nodiscard]] inline FigureInfo useful_info() {
  return {useful_name, "0..1", useful_meaning, FigureInfo::Source::own};
}

}  // namespace tactus::array_figures
