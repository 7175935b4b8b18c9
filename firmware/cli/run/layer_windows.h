// A run's layers as cycles: windows of waveform and timeline, and a signal in the waveform.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/cli/run/run_plan.h"
#include "models/sim/trace/signals.h"

namespace tactus {

/// --trace-layer or --timeline-layer, for `of` trace or timeline.
[[nodiscard]] Args::Option layer_option(const std::string& of);
/// Reads both. Throws UserError for a name that no layer has, and beside another window.
void plan_layer_windows(const Args& args, RunPlan& plan);

/// Puts the cycles of --trace-layer and --timeline-layer into the windows of the plan. The first
/// image is simulated for it: every run of a plan takes the same cycles. Throws UserError if the
/// layer has none.
void use_layer_windows(RunPlan& plan);

/// "top.layer": the number of the layer to which the present cycle belongs, as the accounting has
/// it. Its note names them.
class LayerSignal {
 public:
  /// `regions` are the run's, by instructions.
  LayerSignal(const std::vector<tcu::LayerEntry>& regions, TcuSimulation& simulation)
      : regions_(regions), simulation_(simulation) {}

  /// No signal if there are no regions. The description refers to this.
  void describe(const trace::Scope& top);
  /// A program begins: its first instruction is next.
  void begin_run();

 private:
  [[nodiscard]] std::uint32_t counter() const;
  [[nodiscard]] std::uint64_t layer() const;

  const std::vector<tcu::LayerEntry>& regions_;
  TcuSimulation& simulation_;
  std::uint32_t first_ = 0;  ///< program counter at the beginning of the run
  bool runs_ = false;
};

}  // namespace tactus
