// Figures that are derived from the accounting of a run, and the accounting as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/common/accounting.h"

namespace tactus {

/// num / den, or 0 if den is 0.
[[nodiscard]] double ratio(std::uint64_t num, std::uint64_t den);
/// A rate of a run or layer as JSON; null if `cycles`, those of the run or layer, are 0, so that it
/// has no rates.
[[nodiscard]] nlohmann::ordered_json rate(double figure, std::uint64_t cycles);
/// A figure as JSON; null if it is empty.
[[nodiscard]] nlohmann::ordered_json figure_or_null(const std::optional<double>& figure);

struct PortFigures {
  std::uint64_t bytes_read = 0, bytes_written = 0;
  double beats_per_burst = 0;
  double utilisation = 0;  ///< beats / all cycles, 0..1
  double efficiency = 0;   ///< beats / cycles in which the port has work, 0..1
};
[[nodiscard]] PortFigures port_figures(const Accounting& accounting, unsigned port,
                                       const MachineRates& rates);

/// A point of the roofline chart: either for all multiply-accumulates of the busy array, or for the
/// network's own (useful) ones.
struct Roofline {
  std::uint64_t macs = 0, bytes = 0;
  double macs_per_cycle = 0, peak_macs_per_cycle = 0;
  double bytes_per_cycle = 0, peak_bytes_per_cycle = 0;
  std::optional<double> intensity;  ///< MAC/byte; empty if no bytes were transferred
  double ridge = 0;                 ///< MAC/byte at which both peaks limit equally
  double attainable = 0;            ///< MAC/cycle
  double share_of_roof = 0;         ///< 0..1
  bool memory_bound = false;
};
/// Point for all multiply-accumulates of the busy array, including padding.
[[nodiscard]] Roofline roofline(const Counters& counters, const MachineRates& rates);
/// Point for the network's own multiply-accumulates, over the same cycles.
[[nodiscard]] Roofline roofline(const Counters& counters, const MachineRates& rates,
                                std::uint64_t macs);

struct LostCycles {
  std::size_t reason;  ///< state of MachineInfo::time
  std::uint64_t cycles;
};
/// The reasons that have lost cycles, largest first; reasons with equal cycles in the order of the
/// table.
[[nodiscard]] std::vector<LostCycles> lost_cycles(const Counters& counters);
[[nodiscard]] std::uint64_t lost_total(const Counters& counters);
/// The group of reasons with the most lost cycles (the widest colour of a bar), and the largest
/// reason in it.
struct MainReason {
  std::size_t group = 0, reason = 0;
  std::uint64_t group_cycles = 0, reason_cycles = 0;
};
[[nodiscard]] MainReason main_reason(const Counters& counters);
/// Cycles in which the main unit works: all that are not lost.
[[nodiscard]] std::uint64_t busy_cycles(const Counters& counters);
/// True if statistics of this machine have figures about the network's own multiply-accumulates.
[[nodiscard]] bool knows_macs(const MachineInfo& machine);
/// True if cycles of this reason count as lost.
[[nodiscard]] bool is_lost(const MachineInfo& machine, std::size_t reason);

/// The value of a figure that comes from counters, not from the driver. A counter with several
/// values, such as one per port, gives a list.
[[nodiscard]] nlohmann::ordered_json counted_figure(const Counters& counters,
                                                    const FigureInfo& figure, Cycle cycles);

/// The accounting as JSON. `macs` are the network's own multiply-accumulates, if known.
[[nodiscard]] nlohmann::ordered_json accounting_json(const Accounting& accounting,
                                                     const MachineRates& rates,
                                                     std::optional<std::uint64_t> macs);
/// Unit and explanation, by name, of every figure that the machine of this accounting has. `own`
/// has the figures that the driver supplies.
[[nodiscard]] nlohmann::ordered_json figures_json(const Accounting& accounting,
                                                  const nlohmann::ordered_json& own);

/// What the compiler expects of a layer. The optimising compiler predicts cycles; 0: unknown.
struct Expectation {
  std::uint64_t predicted_cycles = 0, bound_cycles = 0;
  std::optional<std::uint64_t> macs = std::nullopt;  ///< see models/sim/array_figures.h
};
/// True if the cycles of any layer are predicted.
[[nodiscard]] bool is_predicted(const std::vector<Expectation>& expected);
/// The expectation for a region of the accounting; a default one if there is none.
[[nodiscard]] Expectation expectation(const std::vector<Expectation>& all, std::size_t region);
/// Predicted cycles divided by measured ones, minus 1.
[[nodiscard]] double deviation(const Expectation& expected, const RegionFigures& region);
/// One sentence for each prediction that is off by more than allowed: 5 % for a layer of at least 1
/// % of the run, 3 % for the run. expected[i] is for region i.
[[nodiscard]] std::vector<std::string> prediction_findings(
    const Accounting& accounting, const std::vector<Expectation>& expected);

}  // namespace tactus
