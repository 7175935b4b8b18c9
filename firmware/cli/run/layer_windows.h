// Layers of a run as windows of waveform and timeline, and as a signal in the waveform.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/cli/run/run_plan.h"
#include "models/sim/trace/signals.h"

namespace tactus {

/// The option --trace-layer or --timeline-layer; `of` is "trace" or "timeline".
[[nodiscard]] Args::Option layer_option(const std::string& of);
/// Reads both options. Throws UserError for an unknown layer, and if another window is given, too.
void plan_layer_windows(const Args& args, RunPlan& plan);

/// Sets the plan's windows to the cycles of the layers of --trace-layer and --timeline-layer.
/// Simulates the first image for it; all runs of a plan take the same cycles. Throws UserError if
/// the layer has no cycles.
void use_layer_windows(RunPlan& plan);

/// The signal "top.layer": number of the layer that the current cycle belongs to in the accounting.
/// The signal's note has the names of the layers.
class LayerSignal {
 public:
  /// `regions` are the run's layers, as ranges of instructions.
  LayerSignal(const std::vector<tcu::LayerEntry>& regions, TcuSimulation& simulation)
      : regions_(regions), simulation_(simulation) {}

  /// Describes the signal; without regions there is none. The object must outlive the description.
  void describe(const trace::Scope& top);
  /// Call when a program begins.
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
