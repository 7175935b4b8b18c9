// Evaluates a design point: a Stripe program on a machine, from passes to measured cycles.
//
// The template of passes is filled in for the machine, and the passes are applied. The interpreter
// computes the program before and after them, and the results must agree. The program is lowered
// and simulated cycle by cycle. Its outputs must be those of the interpreter in the machine's
// number format, bit for bit.
#pragma once

#include <cstdint>
#include <string>

#include <nlohmann/json.hpp>

#include "firmware/driver/tcu/run_request.h"
#include "isa/support/board_values.h"
#include "isa/support/parameter.h"
#include "isa/tcu/architecture.h"

namespace tactus::codesign {

/// Settings of a design point, besides its board and architecture.
struct Study {
  std::string passes;  ///< path of a template of passes; empty: the default passes of the lowering
  std::string energy;  ///< path of an energy table; empty: none
  unsigned pipeline_depth = 1;  ///< tiles in flight, which share the memories
  bool check = true;            ///< interpret the program before and after the passes
  /// Also simulate the point with each parameter doubled, and with shadow weights if it has none.
  bool doubling = true;
};
[[nodiscard]] const ParameterTable<Study>& study_parameters();

struct PointTask : BoardValues {
  /// Path of a Stripe program in any text form or of an .onnx file, or zoo:NAME.
  std::string program;
  tcu::Architecture architecture;
  Study study;
  RunRequest request;  ///< options of each simulation: the limit of its cycles
};

/// Evaluates the point and returns its record:
/// - cycles, instructions, latency_ms, frames_per_second, array_busy, bytes of DRAM;
/// - `kernels` with start, cycles, predicted_cycles, tiles;
/// - `units` and `buses` with their shares of the run;
/// - mac_slots, the multiply-accumulates that the array does; mac_points, those that are needed;
/// - `energy`; `predicted`;
/// - times with `doubled` parameters and `extended` hardware, simulated and predicted;
/// - `ideas` with their evidence; `hypothetical` ones, predicted for hardware that the simulator
///   does not have.
/// Throws UserError if the program is illegal, does not fit, does not end, or computes different
/// results after the passes.
[[nodiscard]] nlohmann::ordered_json evaluate(const PointTask& task);

/// Reads program, passes and energy table. Throws UserError if one of them is wrong.
void check_files(const PointTask& task);

}  // namespace tactus::codesign
