// One design point: a Stripe program on one machine, from passes to measured cycles.
//
// The passes are rendered for the machine and run, the program is checked by the interpreter before
// and after, lowered, simulated cycle by cycle, and its outputs are compared with the interpreter's
// in the machine's numbers, bit for bit.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "isa/support/board_values.h"
#include "isa/support/parameter.h"
#include "isa/tcu/architecture.h"

namespace tactus::codesign {

/// What a design point has beside its board and its architecture.
struct Study {
  std::string passes;  ///< path of a template of passes; empty: those of the lowering
  std::string energy;  ///< path of an energy table; empty: none
  unsigned pipeline_depth = 1;
  bool check = true;     ///< interpret before and after the passes
  bool doubling = true;  ///< simulate twice of each parameter, and the extensions it has not
};
[[nodiscard]] const ParameterTable<Study>& study_parameters();

struct PointTask : BoardValues {
  /// Path of a Stripe program in any of its texts, or of an .onnx file; or zoo:NAME.
  std::string program;
  tcu::Architecture architecture;
  Study study;
};

/// The record: cycles, latency_ms, frames_per_second, array_busy, bytes of DRAM; `kernels`
/// with start, cycles, predicted_cycles, tiles; `units` and `buses` with their shares of the run;
/// mac_points and mac_slots; `energy`; `predicted`; what the point takes with `doubled` parameters
/// and `extended` hardware, simulated and predicted; `ideas` with their evidence; `hypothetical`
/// ones, predicted for hardware that is not there. `max_cycles` of each simulation: 0: no limit.
///
/// Throws UserError for a program that is illegal, does not fit, does not end, or computes
/// something else than before.
[[nodiscard]] nlohmann::ordered_json evaluate(const PointTask& task, std::uint64_t max_cycles);

/// Reads program, passes and energy table, and throws UserError for what is wrong with them.
void check_files(const PointTask& task);

}  // namespace tactus::codesign
