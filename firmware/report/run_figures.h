// Figures derived from a run's accounting, and the accounting as JSON.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include <nlohmann/json_fwd.hpp>

#include "firmware/driver/common/accounting.h"
#include "firmware/driver/tcu/simulation.h"
#include "firmware/report/figures.h"

namespace tactus {

/// What rates are measured against.
struct Shape {
  std::uint64_t array_size = 0;
  std::uint64_t vector_bytes = 0;
  std::uint64_t beat_bytes = 0;
  bool has_dais = false;  ///< the machine has DAIS blocks

  explicit Shape(const TcuSimulationConfig& config)
      : array_size(config.architecture.array_size),
        vector_bytes(config.architecture.vector_bytes()),
        beat_bytes(config.axi_data_bits / 8),
        has_dais(!config.architecture.dais_blocks.empty()) {}

  /// Whether the machine has the figure or the last segment of its name.
  [[nodiscard]] bool has(std::string_view figure) const {
    return has_dais || !is_dais_figure(figure);
  }
};

/// num / den, and 0 for an empty denominator.
[[nodiscard]] double ratio(std::uint64_t num, std::uint64_t den);

struct PortFigures {
  std::uint64_t bytes_read = 0, bytes_written = 0;
  double beats_per_burst = 0;
  double utilisation = 0;  ///< 0..1: beats / all cycles
  double efficiency = 0;   ///< 0..1: beats / cycles in which the port has work
};
[[nodiscard]] PortFigures port_figures(const Accounting& accounting, unsigned port,
                                       const Shape& shape);

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
[[nodiscard]] Roofline roofline(const Counters& counters, const Shape& shape);

struct LostCycles {
  ArrayTime::State reason;
  std::uint64_t cycles;
};
/// Reasons that occur, the largest first; equal ones in the order of the enumeration.
[[nodiscard]] std::vector<LostCycles> lost_cycles(const Counters& counters);
[[nodiscard]] std::uint64_t lost_total(const Counters& counters);

[[nodiscard]] nlohmann::ordered_json accounting_json(const Accounting& accounting,
                                                     const Shape& shape);
/// Name, unit and sentence of every figure that the machine has.
[[nodiscard]] nlohmann::ordered_json figures_json(const Shape& shape);

}  // namespace tactus
