// What `tactus run` was asked to do: options read and checked, files loaded.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/cli/args.h"
#include "firmware/cli/trace_options.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/driver/tcu/model.h"
#include "firmware/driver/tcu/simulation.h"
#include "firmware/report/timeline.h"

namespace tactus {

/// A memory to write to a file at the end.
struct Dump {
  std::size_t memory;  ///< of MachineInfo::memories
  std::string path;
};

struct RunPlan {
  TcuSimulationConfig config;
  HostMode mode = HostMode::plain;
  ProgramChecks checks = ProgramChecks::strict;
  std::optional<Model> model;  ///< else a bare program:
  std::string program_path;
  std::vector<std::uint8_t> program;
  std::vector<std::uint8_t> dram[2];  ///< initial contents of the banks, bare programs only
  std::vector<TensorData> images;     ///< inputs of each image; one empty entry for a bare program

  std::vector<tcu::LayerEntry> regions;  ///< of the model, or as --regions has it

  std::optional<std::string> output, stats, retire_log, events, samples, timeline, report;
  TraceOptions trace;
  TimelineOptions timeline_options;
  std::vector<Dump> dumps;
  Cycle max_cycles = 0;
};

/// The options of `tactus run`, for Args.
[[nodiscard]] std::vector<Args::Option> run_options();

/// Reads every file the run needs. Throws UserError before anything has been simulated or written.
[[nodiscard]] RunPlan plan_run(const Args& args);

}  // namespace tactus
