// Reports and messages about a run.
#pragma once

#include <string>
#include <vector>

#include "firmware/cli/run/run_plan.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/report/run_document.h"

namespace tactus {

struct RunReport {
  const RunPlan& plan;
  std::vector<ImageResult> images;  ///< the last may be unfinished
  Cycle total_cycles = 0;           ///< cycles of the machine for all images and their preparation
  double wall_seconds = 0;          ///< simulation only
  MachineRates rates;
  /// Activity during the first image; recorded for a page only.
  const Activity* activity = nullptr;
  Cycle first_cycle = 0;     ///< cycle of the machine in which the first image begins
  bool interrupted = false;  ///< a signal has ended the run
  /// With several units: cycles of the first image on a unit that has the memory alone.
  Cycle alone = 0;
  std::optional<DdrFigures> shared_memory{};  ///< with several units: figures of their memory
};

/// Makes the document for all reports. The report must outlive it.
[[nodiscard]] RunDocument run_document(const RunReport& report);

/// Message about a run that did not finish: the reason, and what each unit waits for.
[[nodiscard]] std::string stuck_message(Cycle max_cycles, const RunResult& result);

/// Warns about unwritten reads, if there are any; with --strict throws UserError. `path` is the
/// program's.
void tell_unwritten(const std::string& path, const UnwrittenReads& reads, bool strict);

}  // namespace tactus
