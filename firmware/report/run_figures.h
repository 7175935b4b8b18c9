// Figures derived from a run's accounting, and the accounting as JSON.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/common/accounting.h"

namespace tactus {

/// num / den, and 0 for an empty denominator.
[[nodiscard]] double ratio(std::uint64_t num, std::uint64_t den);
/// The figure of a run or layer; null where that has no cycles, and therefore no rates.
[[nodiscard]] nlohmann::ordered_json rate(double figure, std::uint64_t cycles);
/// The figure; null for none.
[[nodiscard]] nlohmann::ordered_json figure_or_null(const std::optional<double>& figure);

struct PortFigures {
  std::uint64_t bytes_read = 0, bytes_written = 0;
  double beats_per_burst = 0;
  double utilisation = 0;  ///< 0..1: beats / all cycles
  double efficiency = 0;   ///< 0..1: beats / cycles in which the port has work
};
[[nodiscard]] PortFigures port_figures(const Accounting& accounting, unsigned port,
                                       const MachineRates& rates);

/// A point under the roof: the array's multiply-accumulates while it is busy, or the useful ones.
struct Roofline {
  std::uint64_t macs = 0, bytes = 0;
  double macs_per_cycle = 0, peak_macs_per_cycle = 0;
  double bytes_per_cycle = 0, peak_bytes_per_cycle = 0;
  std::optional<double> intensity;  ///< MAC/byte; none without traffic
  double ridge = 0;                 ///< MAC/byte
  double attainable = 0;            ///< MAC/cycle
  double share_of_roof = 0;         ///< 0..1
  bool memory_bound = false;
};
/// The point of the busy array: padding counts as work.
[[nodiscard]] Roofline roofline(const Counters& counters, const MachineRates& rates);
/// The point of the network's own multiply-accumulates, in the same cycles.
[[nodiscard]] Roofline roofline(const Counters& counters, const MachineRates& rates,
                                std::uint64_t macs);

struct LostCycles {
  std::size_t reason;  ///< state of MachineInfo::time
  std::uint64_t cycles;
};
/// Reasons that occur, the largest first; equal ones in the order of the table.
[[nodiscard]] std::vector<LostCycles> lost_cycles(const Counters& counters);
[[nodiscard]] std::uint64_t lost_total(const Counters& counters);
/// Cycles in which the main unit works: those that are not lost.
[[nodiscard]] std::uint64_t busy_cycles(const Counters& counters);
/// True if statistics of the machine have the figures of the network's multiply-accumulates.
[[nodiscard]] bool knows_macs(const MachineInfo& machine);
/// Whether cycles of this reason count as lost.
[[nodiscard]] bool is_lost(const MachineInfo& machine, std::size_t reason);

/// The value of a figure that is no driver's own; of a counter by port, the list of them.
[[nodiscard]] nlohmann::ordered_json counted_figure(const Counters& counters,
                                                    const FigureInfo& figure, Cycle cycles);

/// `macs`: the network's own multiply-accumulates, where they are known.
[[nodiscard]] nlohmann::ordered_json accounting_json(const Accounting& accounting,
                                                     const MachineRates& rates,
                                                     std::optional<std::uint64_t> macs);
/// Name, unit and sentence of every figure that the machine of this accounting has; `own` are those
/// of the driver.
[[nodiscard]] nlohmann::ordered_json figures_json(const Accounting& accounting,
                                                  const nlohmann::ordered_json& own);

/// What the compiler says of a layer. Cycles are the optimising compiler's; 0: nobody says.
struct Expectation {
  std::uint64_t predicted_cycles = 0, bound_cycles = 0;
  std::optional<std::uint64_t> macs = std::nullopt;  ///< see models/sim/array_figures.h
};
/// True if the optimising compiler predicts cycles of a layer.
[[nodiscard]] bool is_predicted(const std::vector<Expectation>& expected);
/// Of the accounting's region; empty where nobody says.
[[nodiscard]] Expectation expectation(const std::vector<Expectation>& all, std::size_t region);
/// Predicted cycles over the measured ones, less 1.
[[nodiscard]] double deviation(const Expectation& expected, const RegionFigures& region);
/// Where a prediction is further off than it should be (layers of 1 % of the run and more: 5 %, the
/// run: 3 %), a sentence each. `expected`: by region.
[[nodiscard]] std::vector<std::string> prediction_findings(
    const Accounting& accounting, const std::vector<Expectation>& expected);

}  // namespace tactus
