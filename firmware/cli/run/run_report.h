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
  const RunRecorder& recorder;
  Cycle total_cycles = 0;   ///< of the machine, all images and preparation
  double wall_seconds = 0;  ///< simulation only
  MachineRates rates;
  bool interrupted = false;  ///< a signal has ended it
  TcuSystem::Passed passed;  ///< cycles of the first unit, by how the engine has passed them
  std::uint64_t bursts = 0;  ///< of the first unit, at the pins of its DRAM ports
};

/// Makes the document for all reports. The report must outlive it.
[[nodiscard]] RunDocument run_document(const RunReport& report);

/// stuck_text() of a run that the command line has started.
[[nodiscard]] std::string stuck_message(const RunRequest& request, const RunResult& result);

/// Warns about unwritten reads, if there are any; with --strict throws UserError. `path` is the
/// program's.
void tell_unwritten(const std::string& path, const UnwrittenReads& reads, bool strict);

}  // namespace tactus
