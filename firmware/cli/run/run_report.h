// Reports and messages about a run.
#pragma once

#include <string>
#include <vector>

#include "firmware/cli/run/run_plan.h"
#include "firmware/driver/tcu/units.h"
#include "firmware/report/run_document.h"

namespace tactus {

struct RunReport : TcuImages {
  const RunPlan& plan;
  Cycle total_cycles = 0;   ///< of the machine, all images and preparation
  double wall_seconds = 0;  ///< simulation only
  MachineRates rates;
  const Activity* activity = nullptr;  ///< of the first image; filled for a page only
  Cycle first_cycle = 0;               ///< of the machine: that in which the first image begins
  bool interrupted = false;            ///< a signal has ended it
};

/// Makes the document for all reports. The report must outlive it.
[[nodiscard]] RunDocument run_document(const RunReport& report);

/// Message about a run that did not finish: the reason, and what each unit waits for.
[[nodiscard]] std::string stuck_message(Cycle max_cycles, const RunResult& result);

/// Warns about unwritten reads, if there are any; with --strict throws UserError. `path` is the
/// program's.
void tell_unwritten(const std::string& path, const UnwrittenReads& reads, bool strict);

}  // namespace tactus
