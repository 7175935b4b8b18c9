// Figures of one run of a TCU, and how they are taken from its units.
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

/// Figures of one run. Cycles count from its first cycle, in which the first word is offered;
/// `cycles` is the last retire or write response.
struct TcuRunResult : RunResult {
  TcuRunResult() : RunResult(tcu_machine_info()) {}

  std::array<std::optional<Cycle>, 2> last_b;  ///< last write response of each port, if any
  // Counters of the machine, here by name.
  std::array<std::uint64_t, 2> read_beats{}, write_beats{}, read_bursts{}, write_bursts{};
  std::uint64_t array_runs = 0;  ///< vectors multiplied
  std::uint64_t array_loads = 0;
  std::uint64_t alu_operations = 0;
  struct DaisCounts {
    std::uint64_t instructions = 0;
    std::uint64_t samples = 0;
  };
  std::vector<DaisCounts> dais;   ///< of each DAIS block of the architecture
  std::optional<DdrFigures> ddr;  ///< none without the board's memory
};

/// Call before a run: takes the counts of units that MachineInfo has no counters for, and which
/// continue from run to run.
void begin_counts(const TcuSystem& system, TcuRunResult& result);
/// Call after it, when result.accounting, `end` and `cycles` are those of the run, which began in
/// cycle `first`. Fills the rest but for `ddr`, and adds the last write response to the cycles of a
/// run that has finished.
void end_counts(const TcuSystem& system, Cycle first, TcuRunResult& result);

}  // namespace tactus
