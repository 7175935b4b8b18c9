// Texts and figures about a run of the DPAS machine, besides the figures in its tables.
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
/// One line about the machine.
[[nodiscard]] std::string dpas_machine_line(const DpasSimulationConfig& config);

/// Document about the machine, for statistics and pages; the caller adds runs, times and
/// configuration. `board` is the board's name, empty if there is none.
[[nodiscard]] RunDocument dpas_document(const std::string& subject, const std::string& board,
                                        const DpasSimulationConfig& config,
                                        const MachineRates& rates);
/// A run for that document. The result refers to `run`.
[[nodiscard]] ReportedRun dpas_reported_run(const DpasRunResult& run);

}  // namespace tactus
