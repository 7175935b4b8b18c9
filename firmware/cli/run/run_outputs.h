// What a run of any machine writes beside its results: options, and the files of one run.
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
  std::size_t memory;  ///< of MachineInfo::memories
  std::string path;
  std::uint64_t first = 0;
  std::optional<std::uint64_t> count{};  ///< none: all
};

struct RunOutputs {
  std::optional<std::string> stats, retire_log, events, timeline, report, layers_csv;
  bool layers = false;  ///< print the table of layers
  TraceOptions trace;
  TimelineOptions timeline_options;
  std::vector<Dump> dumps;
  /// Numbers in vectors, a vector a line; empty for a machine whose memories hold no vectors.
  std::function<std::string(const std::vector<std::uint8_t>&)> vectors_text;

  /// Where the summary goes: not among figures or events on standard output.
  [[nodiscard]] std::FILE* screen() const;
};

/// What "-" stands for where a text is written.
inline const std::string standard_output = "/dev/stdout";

/// --stats, --report, --layers, --layers-csv, --events, --retire-log, --dump.
[[nodiscard]] std::vector<Args::Option> run_output_options(const MachineInfo& machine);
/// Those and the timeline's and the waveform's. Throws UserError for what says nothing.
[[nodiscard]] RunOutputs read_run_outputs(const Args& args, const MachineInfo& machine);
/// Whatever cannot be written where it is wanted costs no simulation. Inputs have been read.
void claim_outputs(const RunOutputs& outputs);

/// Watches a machine and writes the files of its runs. What cannot be written costs itself only:
/// the rest of the result is not lost.
class RunRecorder {
 public:
  /// Opens what is written while the machine runs. `of` names what runs, for the waveform.
  RunRecorder(const RunOutputs& outputs, Simulation& simulation,
              const std::function<std::unique_ptr<TimelineTracks>()>& tracks,
              const std::string& of);
  ~RunRecorder();
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;

  /// Where retires are logged; null if nobody wants them.
  [[nodiscard]] std::vector<std::uint32_t>* retires() {
    return outputs_.retire_log ? &retires_ : nullptr;
  }
  [[nodiscard]] Activity& activity() { return activity_; }
  /// A waveform is written, so that signals have to be deferred.
  [[nodiscard]] bool traces() const { return trace_ != nullptr; }

  /// Adds machine 1, 2, ... that runs beside the first one, for the timeline alone.
  void add_machine(const std::string& name, Simulation& simulation,
                   std::unique_ptr<TimelineTracks> tracks);

  /// Machine 0 is the first one.
  void begin_run(const std::string& name, const std::vector<std::uint8_t>& program,
                 unsigned machine = 0);
  void end_run(const Accounting& accounting, unsigned machine = 0);

  /// The machine has run: closes the waveform.
  void finish();
  /// "N cycles, ... in F", after finish(); empty if there is no waveform.
  [[nodiscard]] std::string trace_summary() const;
  /// The rest of the files. Without a document there are no figures to write.
  void write(const RunDocument* document);
  /// Throws UserError if the file cannot be written.
  void write_dump(const Dump& dump);
  /// The table of layers to print, after an empty line; empty if nobody wants it.
  [[nodiscard]] std::string layers_text(const RunDocument& document) const;
  /// Failures to write files; the result stands.
  [[nodiscard]] std::vector<std::string>& failures() { return failures_; }

  /// Writes some file of the run's; a failure is kept.
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
  EventFan event_fan_;
  AccountFan account_fan_;
  std::vector<std::string> failures_;
  Cycle run_from_ = 0;
};

}  // namespace tactus
