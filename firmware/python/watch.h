// What to record of a run of any machine, the recorded data, and the observer that records them.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/driver/common/simulation.h"
#include "firmware/driver/tcu/run_request.h"
#include "firmware/python/recorder.h"
#include "firmware/report/activity.h"
#include "firmware/report/fan.h"
#include "firmware/report/run_document.h"
#include "firmware/report/timeline.h"
#include "firmware/report/waveform.h"
#include "isa/support/error.h"

namespace tactus::python {

/// Error for a program that hangs or reaches its cycle limit. Its text says what each unit waits
/// for.
class Stuck : public UserError {
 public:
  using UserError::UserError;
};
/// Throws Stuck unless the run has finished.
void require_finished(const RunResult& result, const RunRequest& request);

struct WatchRequest {
  bool events = false, accounts = false;
  TraceOptions trace;                   ///< without a VCD or FST nothing is traced
  std::optional<std::string> timeline;  ///< path of the timeline; empty: none
};

/// Options of a run from Python.
struct Request : RunRequest, WatchRequest {};
/// Reads a request from JSON. Its keys are those of request_parameters(), "events", "accounts", and
/// the options of the files that are written while the machine runs. Throws UserError.
[[nodiscard]] Request read_request(const std::string& json, Asker asker);

/// A unit of a machine and its states, to which the numbers in AccountRows refer.
struct RecordedUnit {
  std::string name;
  UnitStates states;
};

/// A run and what was recorded of it.
class RecordedRun {
 public:
  virtual ~RecordedRun() = default;

  std::unique_ptr<EventRows> events;
  std::unique_ptr<AccountRows> accounts;
  std::vector<RecordedUnit> units;
  std::unique_ptr<Activity> activity;  ///< activity in the first image; null without accounts
  UnwrittenReads unwritten;            ///< see RunDocument::unwritten
  std::string note;                    ///< warning for the user; empty: none
  Cycle total_cycles = 0;
  double wall_seconds = 0;

  /// Sets `unwritten` and, if there are such reads, adds a warning to the note. `name` is the name
  /// of the program in the warning.
  void set_unwritten(const std::string& name, const UnwrittenReads& reads);

  /// Returns the document of the run, which refers to the run.
  [[nodiscard]] virtual RunDocument document() const = 0;
};

/// Observes a machine as a request says, from its construction to its destruction, which may be
/// over several runs. It stores the data in a RecordedRun.
class Watch {
 public:
  /// `subject` is the waveform's title. `tracks` makes the machine's own tracks of a timeline.
  /// `surroundings` describes signals outside the machine.
  Watch(Simulation& simulation, const WatchRequest& request, RecordedRun& run,
        const std::string& subject, const std::function<std::unique_ptr<TimelineTracks>()>& tracks,
        std::function<void(const trace::Scope&)> surroundings = {});
  ~Watch();
  Watch(const Watch&) = delete;
  Watch& operator=(const Watch&) = delete;

  void begin_run(const std::string& name, const std::vector<std::uint8_t>& program);
  void end_run(const RunResult& result);
  /// Completes the files. Throws UserError for a file that could not be written.
  void finish();

 private:
  Simulation& simulation_;
  const WatchRequest& request_;
  RecordedRun& run_;
  EventFan events_;
  AccountFan accounts_;
  std::optional<Timeline> timeline_;
  std::optional<RunTrace> trace_;
};

}  // namespace tactus::python
