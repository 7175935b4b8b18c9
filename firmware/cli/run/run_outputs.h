// Files that a run of any machine writes besides its outputs: their options, and their recorder.
#pragma once

#include <cstdint>
#include <cstdio>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/cli/args.h"
#include "firmware/cli/run/trace_options.h"
#include "firmware/driver/common/simulation.h"
#include "firmware/report/activity.h"
#include "firmware/report/fan.h"
#include "firmware/report/run_document.h"
#include "firmware/report/timeline.h"

namespace tactus {

/// Vectors of a memory to write to a file at the end: raw, or as numbers (.csv).
struct Dump {
  std::size_t memory;  ///< index in MachineInfo::memories
  std::string path;
  std::uint64_t first = 0;
  std::optional<std::uint64_t> count{};  ///< empty: all
};

struct RunOutputs {
  std::optional<std::string> stats, retire_log, events, timeline, report, layers_csv;
  bool layers = false;  ///< print the table of layers
  TraceOptions trace;
  TimelineOptions timeline_options;
  std::vector<Dump> dumps;
  /// Converts bytes of vectors to numbers, one vector a line; empty for a machine whose memories
  /// contain no vectors.
  std::function<std::string(const std::vector<std::uint8_t>&)> vectors_text;

  /// Stream for the summary: standard error if figures or events go to standard output.
  [[nodiscard]] std::FILE* screen() const;
};

/// The path that "-" stands for.
inline const std::string standard_output = "/dev/stdout";

/// The options --stats, --report, --layers, --layers-csv, --events, --retire-log and --dump.
[[nodiscard]] std::vector<Args::Option> run_output_options(const MachineInfo& machine);
/// Reads these options and those of timeline and waveform. Throws UserError for options without
/// effect.
[[nodiscard]] RunOutputs read_run_outputs(const Args& args, const MachineInfo& machine);
/// Throws UserError for a file that cannot be written, before the simulation. Call after inputs
/// have been read.
void claim_outputs(const RunOutputs& outputs);

/// Observes a machine and writes the files of its runs. A file that cannot be written does not
/// prevent the others.
class RunRecorder {
 public:
  /// Opens the files that are written during the run. `of` names the model or program, for the
  /// waveform.
  RunRecorder(const RunOutputs& outputs, Simulation& simulation,
              const std::function<std::unique_ptr<TimelineTracks>()>& tracks,
              const std::string& of);
  ~RunRecorder();
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;

  /// The log of retires; null if it is not requested.
  [[nodiscard]] std::vector<std::uint32_t>* retires() {
    return outputs_.retire_log ? &retires_ : nullptr;
  }
  [[nodiscard]] Activity& activity() { return activity_; }

  /// Adds machine 1, 2, ..., which runs beside the first one and is shown in the timeline only.
  void add_machine(const std::string& name, Simulation& simulation,
                   std::unique_ptr<TimelineTracks> tracks);

  /// Machine 0 is the first one.
  void begin_run(const std::string& name, const std::vector<std::uint8_t>& program,
                 unsigned machine = 0);
  void end_run(const Accounting& accounting, unsigned machine = 0);

  /// Closes the waveform. Call when the machine has run.
  void finish();
  /// Writes all other files. Without a document those with figures are left out.
  void write(const RunDocument* document);
  /// A line of the summary for the waveform and one for the timeline, after write(). Files that
  /// could not be written have none.
  [[nodiscard]] std::string files_text() const;
  /// Throws UserError if the file cannot be written.
  void write_dump(const Dump& dump);
  /// The table of layers, after an empty line; empty if it is not requested.
  [[nodiscard]] std::string layers_text(const RunDocument& document) const;
  /// Messages about files that could not be written.
  [[nodiscard]] std::vector<std::string>& failures() { return failures_; }

  /// Calls a function that writes a file; a failure is added to failures().
  template <typename Write>
  void attempt(Write&& write) {
    try {
      write();
    } catch (const UserError& error) {
      failures_.emplace_back(error.what());
    }
  }

 private:
  class EventFile;
  void close_timeline();
  void write_retire_log();
  void check_dump(const Dump& dump) const;

  const RunOutputs& outputs_;
  Simulation& simulation_;
  Activity activity_;
  std::vector<std::uint32_t> retires_;
  std::unique_ptr<EventFile> events_;
  std::unique_ptr<RunTrace> trace_;
  std::vector<std::unique_ptr<Timeline>> timelines_;  ///< of all machines; empty: none is written
  bool timeline_complete_ = false;
  EventFan event_fan_;
  AccountFan account_fan_;
  std::vector<std::string> failures_;
  Cycle run_from_ = 0;
};

}  // namespace tactus
