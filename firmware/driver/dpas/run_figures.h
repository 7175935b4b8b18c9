// What the DPAS machine says of a run beside the figures that its tables have.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firmware/driver/dpas/simulation.h"
#include "firmware/report/run_document.h"

namespace tactus {

/// Lines of the summary: name, text.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> dpas_summary_lines(
    const DpasRunResult& run);
/// The machine in one line.
[[nodiscard]] std::string dpas_machine_line(const DpasSimulationConfig& config);

/// What statistics and pages say of the machine; runs, times and configuration are the caller's.
/// `board`: its name, empty if there is none.
[[nodiscard]] RunDocument dpas_document(const std::string& subject, const std::string& board,
                                        const DpasSimulationConfig& config,
                                        const MachineRates& rates);
/// A run for that document. Refers to `run`.
[[nodiscard]] ReportedRun dpas_reported_run(const DpasRunResult& run);

}  // namespace tactus
