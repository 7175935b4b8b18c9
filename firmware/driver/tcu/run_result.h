// Figures of one run of a TCU, and the functions that take them from its units.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/driver/common/ddr_figures.h"
#include "firmware/driver/common/simulation.h"
#include "models/tcu/machine_info.h"
#include "models/tcu/system.h"

namespace tactus {

/// Figures of one run. Cycles count from the run's first cycle, in which the first word is offered.
/// `cycles` is the cycle of the last retirement or write response.
struct TcuRunResult : RunResult {
  TcuRunResult() : RunResult(tcu_machine_info()) {}

  std::array<std::optional<Cycle>, 2> last_b;  ///< last write response of each port; empty: none
  // These are counters of the machine, under their names.
  std::array<std::uint64_t, 2> read_beats{}, write_beats{}, read_bursts{}, write_bursts{};
  std::uint64_t array_runs = 0;   ///< vectors multiplied
  std::uint64_t array_loads = 0;  ///< vectors of weights loaded
  std::uint64_t alu_operations = 0;
  struct DaisCounts {
    std::uint64_t instructions = 0;
    std::uint64_t samples = 0;
  };
  std::vector<DaisCounts> dais;   ///< indexed by DAIS block of the architecture
  std::optional<DdrFigures> ddr;  ///< empty without the board's memory
};

/// Records the present counts of DAIS blocks, which continue from run to run. Call it before a run.
void begin_counts(const TcuSystem& system, TcuRunResult& result);
/// Fills in all other members except `ddr`. Call it after a run that began in cycle `first`, when
/// accounting, `end` and `cycles` are those of the run. The cycles of a finished run are extended
/// to its last write response.
void end_counts(const TcuSystem& system, Cycle first, TcuRunResult& result);

}  // namespace tactus
