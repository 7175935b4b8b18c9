// The request of `tactus run`: options read and checked, files loaded.
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

/// What is run: paths of files; an empty path means that there is none.
struct Workload {
  std::string model, program, dram0, dram1;
  /// Inputs of a model: name, and path or "random:SEED".
  std::vector<std::pair<std::string, std::string>> inputs;
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
  BoardValues values;     ///< the board's values; options may have replaced some of them
  bool of_model = false;  ///< the model was compiled for the board of this name
};

struct RunPlan : RunRequest, RunOutputs {
  TcuSimulationConfig config;
  Workload workload;
  BoardInUse board;
  Sampling sampling;
  PackagePlan host;
  std::optional<Model> model;  ///< with packages the first one's; empty: a bare program is run
  /// Layouts of the model's tensors and the host's part of it, if it was compiled by Tactus without
  /// --compat.
  std::optional<compiler::ModelTensors> tensors;
  std::vector<std::uint8_t> program;
  std::vector<std::uint8_t> dram[2];   ///< initial contents of the banks, bare programs only
  std::vector<TensorData> images;      ///< inputs of each run; one empty entry for a bare program
  std::vector<nn::Values> carried;     ///< of the images of a model, see compiler::Started
  double host_before_seconds = 0;      ///< of the host's work before the program, all images
  std::optional<energy::Meter> meter;  ///< table of --energy

  /// Number of runs: the inputs are used in turn until there are enough images.
  [[nodiscard]] std::size_t run_count() const {
    if (!images_wanted) return images.size();
    return static_cast<std::size_t>(runs_of(*images_wanted, model->file.batch));
  }

  UnwrittenReads unwritten;  ///< unwritten reads of all programs

  std::vector<tcu::LayerEntry> regions;  ///< layers of the model, or the regions of --regions

  std::optional<std::string> output;
  std::vector<Dump> program_outputs;  ///< dumps of --output, for a bare program
  /// Layers whose cycles are the windows of waveform and timeline; see use_layer_windows().
  std::optional<std::string> trace_layer, timeline_layer;

  /// The board in one line: "zcu104, which the model was compiled for; changed: read_latency (20,
  /// 7)".
  [[nodiscard]] std::string board_text() const;
};

/// True if a text is a number of regions, even one that is not allowed, and not the name of a file.
[[nodiscard]] bool is_number(const std::string& text);

/// The options of `tactus run`, for Args.
[[nodiscard]] std::vector<Args::Option> run_options();

/// Returns the machine that the options describe, with the architecture of a model or a file, and
/// the model's layers; for --trace-list.
[[nodiscard]] RunPlan plan_machine(const Args& args);

/// The models that words which are no options name, each as [NAME=]F. Empty: they name packages, or
/// there are none. Throws UserError for a word that names neither a model nor a package.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> models_of(const Args& args);

/// Plans a run of one of several models, without files to be written.
[[nodiscard]] RunPlan plan_one_model(const Args& args, const std::string& model);

/// Reads every file the run needs. Throws UserError before anything has been simulated or written.
[[nodiscard]] RunPlan plan_run(const Args& args);

}  // namespace tactus
