// Adds energies to a run's statistics, summary and page.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "firmware/report/run_document.h"

namespace tactus::energy {

/// `run` is the next run of the document; the page shows the energy of the first.
void add_to(RunDocument& document, ReportedRun& run, nlohmann::ordered_json energy);

}  // namespace tactus::energy
