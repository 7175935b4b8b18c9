// Watches a run of any machine and writes what is asked of it: for the command line and Python.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "firmware/driver/common/simulation.h"
#include "firmware/report/activity.h"
#include "firmware/report/fan.h"
#include "firmware/report/run_document.h"
#include "firmware/report/run_outputs.h"
#include "isa/support/error.h"

namespace tactus {

/// Further observers of a machine; null: none.
struct RunObservers {
  EventSink* events = nullptr;
  AccountObserver* accounts = nullptr;  ///< with it the activity is recorded, too
};

/// Observes a machine and writes the files of its runs. A file that cannot be written does not
/// prevent the others.
class RunRecorder {
 public:
  using MakeTracks = std::function<std::unique_ptr<TimelineTracks>()>;

  /// Opens the files that are written during the run. `of` names the model or program, for the
  /// waveform.
  RunRecorder(RunOutputs outputs, Simulation& simulation, const MakeTracks& tracks,
              const std::string& of, const RunObservers& others = {});
  virtual ~RunRecorder();
  RunRecorder(const RunRecorder&) = delete;
  RunRecorder& operator=(const RunRecorder&) = delete;

  /// The log of retires; null if it is not requested.
  [[nodiscard]] std::vector<std::uint32_t>* retires() {
    return outputs_.retire_log ? &retires_ : nullptr;
  }
  /// What happened when in the first image, for a page.
  [[nodiscard]] const Activity& activity() const { return activity_; }
  /// Cycle of the machine in which the first image begins.
  [[nodiscard]] Cycle first_cycle() const { return first_cycle_; }

  /// Adds machine 1, 2, ..., which runs beside the first one and is shown in the timeline only.
  void add_machine(const std::string& name, Simulation& simulation,
                   std::unique_ptr<TimelineTracks> tracks);

  /// Call before each program that prepares the machine. Machine 0 is the first one.
  void begin_run(const std::string& name, const std::vector<std::uint8_t>& program,
                 unsigned machine = 0);
  /// Call before and after each image or program that the run is about.
  virtual void begin_image(const std::string& name, const std::vector<std::uint8_t>& program,
                           unsigned machine = 0);
  void end_image(const Accounting& accounting, unsigned machine = 0);

  /// Closes the files that the machine's units write. Call when the machine has run.
  virtual void finish();
  /// Writes all other files. Without a document those with figures are left out.
  void write(const RunDocument* document);
  /// Lines of the summary for waveform, timeline and the like, after write(). Files that could not
  /// be written have none.
  [[nodiscard]] virtual std::string files_text() const;
  /// Throws UserError if the file cannot be written.
  void write_dump(const Dump& dump);
  /// Messages about files that could not be written.
  [[nodiscard]] const std::vector<std::string>& failures() const { return failures_; }
  /// Throws them as one UserError, if there are any.
  void throw_failures() const;
  /// Notes and warnings about files that do not have everything.
  [[nodiscard]] const std::vector<std::string>& notes() const { return notes_; }
  [[nodiscard]] const std::vector<std::string>& warnings() const { return warnings_; }

  /// Calls a function that writes a file; a failure is added to failures().
  template <typename Write>
  void attempt(Write&& write) {
    try {
      write();
    } catch (const UserError& error) {
      failures_.emplace_back(error.what());
    }
  }

 protected:
  const RunOutputs outputs_;
  std::vector<std::string> failures_;

 private:
  class EventFile;
  void close_timeline();
  void write_retire_log();
  void check_dump(const Dump& dump) const;

  Simulation& simulation_;
  std::vector<Simulation*> observed_;
  Activity activity_;
  std::vector<std::uint32_t> retires_;
  std::unique_ptr<EventFile> events_;
  std::unique_ptr<RunTrace> trace_;
  std::vector<std::unique_ptr<Timeline>> timelines_;  ///< of all machines; empty: none is written
  bool timeline_complete_ = false;
  EventFan event_fan_;
  AccountFan account_fan_;
  std::vector<std::string> notes_, warnings_;
  Cycle run_from_ = 0, first_cycle_ = 0;
  bool begun_ = false;  ///< an image has begun on machine 0
};

}  // namespace tactus
