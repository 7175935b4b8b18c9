// What `tactus run` was asked to do: options read and checked, files loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firmware/cli/args.h"
#include "firmware/cli/run/package_plan.h"
#include "firmware/cli/run/run_outputs.h"
#include "firmware/compiler/model_tensors.h"
#include "firmware/driver/common/throughput.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/model.h"
#include "firmware/driver/tcu/run_request.h"
#include "firmware/driver/tcu/simulation.h"
#include "firmware/energy/table.h"
#include "isa/support/unwritten_reads.h"

namespace tactus {

/// What is run: paths of files, empty where there is none.
struct Workload {
  std::string model, program, dram0, dram1;
  std::vector<std::pair<std::string, std::string>>
      inputs;  ///< of a model: name, and path or "random:SEED"
};

/// The performance sampler, if there is one.
struct Sampling {
  std::uint16_t interval = 0;  ///< cycles
  std::uint32_t block = 1024;
  Cycle pause = 0;
};

/// Where clock, AXI width and latencies come from.
struct BoardInUse {
  std::string name;       ///< empty: no board was named
  BoardValues values;     ///< what it has; options may have replaced some
  bool of_model = false;  ///< the model was compiled for the board of this name
};

struct RunPlan : RunRequest, RunOutputs {
  TcuSimulationConfig config;
  Workload workload;
  BoardInUse board;
  Sampling sampling;
  PackagePlan host;
  std::optional<Model> model;  ///< of packages the first one's; else a bare program:
  /// How the model's tensors lie, and what the host computes; compiled by Tactus without --compat.
  std::optional<compiler::ModelTensors> tensors;
  std::vector<std::uint8_t> program;
  std::vector<std::uint8_t> dram[2];   ///< initial contents of the banks, bare programs only
  std::vector<TensorData> images;      ///< inputs of each run; one empty entry for a bare program
  std::optional<energy::Meter> meter;  ///< of --energy

  /// Runs of the program: with the inputs in turn, until there are enough images.
  [[nodiscard]] std::size_t run_count() const {
    if (!images_wanted) return images.size();
    return static_cast<std::size_t>(runs_of(*images_wanted, model->file.batch));
  }

  UnwrittenReads unwritten;  ///< of all programs

  std::vector<tcu::LayerEntry> regions;  ///< of the model, or as --regions has it

  std::optional<std::string> output, samples;
  std::vector<Dump> program_outputs;  ///< of --output, where a bare program runs
  /// Layers whose cycles are the windows of waveform and timeline; see use_layer_windows().
  std::optional<std::string> trace_layer, timeline_layer;

  /// "zcu104, which the model was compiled for; changed: read_latency (20, 7)".
  [[nodiscard]] std::string board_text() const;
};

/// Whether a text is a number of regions, also one that is not allowed, rather than a file of them.
[[nodiscard]] bool is_number(const std::string& text);

/// The options of `tactus run`, for Args.
[[nodiscard]] std::vector<Args::Option> run_options();

/// The machine that the options describe, with the architecture of a model or a file, and the
/// model's layers; for --trace-list.
[[nodiscard]] RunPlan plan_machine(const Args& args);

/// Reads every file the run needs. Throws UserError before anything has been simulated or written.
[[nodiscard]] RunPlan plan_run(const Args& args);

}  // namespace tactus
