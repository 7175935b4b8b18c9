// What to record of a run of any machine, and the recorded data.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "firmware/driver/common/simulation.h"
#include "firmware/driver/tcu/run_request.h"
#include "firmware/python/recorder.h"
#include "firmware/report/run_recorder.h"
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

/// Options of a run from Python.
struct Request : RunRequest, RunOutputs {
  bool event_rows = false, account_rows = false;
};
/// Reads a request from JSON. Its keys are those of request_keys(), "event_rows" and
/// "account_rows". Throws UserError.
[[nodiscard]] Request read_request(const std::string& json, Asker asker);
/// The options that somebody may give, and the types of their values: "whole", "real", "boolean",
/// "text" or "texts".
[[nodiscard]] std::vector<std::pair<std::string, std::string>> request_keys(Asker asker);
/// Why Python does not have an option of runs; empty: there is no option of this name.
[[nodiscard]] std::string why_not(const std::string& key, Asker asker);

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
  std::optional<Activity> activity;         ///< activity in the first image; empty without accounts
  UnwrittenReads unwritten;                 ///< see RunDocument::unwritten
  std::string note;                         ///< warning for the user; empty: none
  Cycle first_cycle = 0, total_cycles = 0;  ///< see RunDocument
  double wall_seconds = 0;

  /// Makes the rows that the request wants, to be observed in this run.
  [[nodiscard]] RunObservers observers(const Request& request, Simulation& simulation);
  /// Completes the files. Throws UserError for one that could not be written.
  void finish(RunRecorder& recorder);
  /// Sets `unwritten` and, if there are such reads, adds a warning to the note. `name` is the name
  /// of the program in the warning.
  void set_unwritten(const std::string& name, const UnwrittenReads& reads);

  /// Returns the document of the run, which refers to the run.
  [[nodiscard]] virtual RunDocument document() const = 0;
};

}  // namespace tactus::python
