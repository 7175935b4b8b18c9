// What reports say about a run of the DPAS machine, besides the figures in its tables.
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

/// The data of a report about the machine. The caller adds runs, times and configuration. `board`
/// is the name of the board; empty if there is none.
[[nodiscard]] RunDocument dpas_document(const std::string& subject, const std::string& board,
                                        const DpasSimulationConfig& config,
                                        const MachineRates& rates);
/// A run for that document. The result refers to `run`, which must outlive it.
[[nodiscard]] ReportedRun dpas_reported_run(const DpasRunResult& run);

}  // namespace tactus
