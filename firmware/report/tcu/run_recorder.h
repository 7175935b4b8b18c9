// Watches a run of TCUs, for the command line and Python: adds to RunRecorder the signals and
// tracks of the TCU, the other units, the sampler, and the running of images.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/driver/tcu/sample_file.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/report/run_recorder.h"
#include "isa/tcu/model_file.h"
#include "models/sim/trace/signals.h"

namespace tactus {

/// The signal "top.layer": number of the layer that the current cycle belongs to in the accounting.
/// The signal's note has the names of the layers.
class LayerSignal {
 public:
  /// `regions` are the run's layers, as ranges of instructions.
  LayerSignal(const std::vector<tcu::LayerEntry>& regions, TcuSimulation& simulation)
      : regions_(regions), simulation_(simulation) {}

  /// Adds it and the signals of the board's memory to a waveform. The object must outlive the
  /// waveform. Without regions there is no signal.
  void add_to(TraceOptions& options);
  /// Call when a program begins.
  void begin_program();

 private:
  void describe(const trace::Scope& top) const;
  [[nodiscard]] std::uint32_t counter() const;
  [[nodiscard]] std::uint64_t layer() const;

  const std::vector<tcu::LayerEntry>& regions_;
  TcuSimulation& simulation_;
  std::uint32_t first_ = 0;  ///< program counter at the beginning of the run
  bool runs_ = false;
};

/// A model and its images, which take turns until there are `runs`.
struct ImagesToRun {
  const TcuSimulationConfig& config;
  const Model& model;
  const std::vector<TensorData>& inputs;
  std::size_t runs;
};

class TcuRunRecorder final : private LayerSignal, public RunRecorder {
 public:
  /// Watches the first of the machines; a timeline has all. All arguments have to outlive it.
  TcuRunRecorder(RunOutputs outputs, TcuMachines& machines,
                 const std::vector<tcu::LayerEntry>& layers, const std::string& of,
                 const RunObservers& others = {});

  /// Deals the images out to the machines. Where there are several, the first image runs before
  /// that on a unit that is alone, for comparison. `ends` is asked before each image but the first:
  /// the run ends if it returns true; also if it does so when an image has ended early. Fills all
  /// of `made`, up to an image that has not finished. Returns the run that did not finish by
  /// itself, except for an image on a machine alone, which is the last of `made`.
  [[nodiscard]] std::optional<TcuRunResult> run_images(const ImagesToRun& task,
                                                       const RunRequest& request,
                                                       const TcuRunOptions& options,
                                                       const std::function<bool()>& ends,
                                                       TcuImages& made);

  void begin_image(const std::string& name, const std::vector<std::uint8_t>& program,
                   unsigned machine = 0) override;
  void finish() override;
  [[nodiscard]] std::string files_text() const override;

 private:
  TcuMachines& machines_;
  std::unique_ptr<SampleFile> samples_;
};

}  // namespace tactus
