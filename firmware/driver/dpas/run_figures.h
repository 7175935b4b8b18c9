// What the DPAS machine says of a run beside the figures that its tables have.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firmware/driver/dpas/simulation.h"

namespace tactus {

/// Lines of the summary: name, text.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> dpas_summary_lines(
    const DpasRunResult& run);
/// The machine in one line.
[[nodiscard]] std::string dpas_machine_line(const DpasSimulationConfig& config);

}  // namespace tactus
