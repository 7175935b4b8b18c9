// Adds energies to a run's statistics, summary and page.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "firmware/report/run_document.h"

namespace tactus::energy {

/// Adds the energy of `run`, a run of the document or the next to be added. The page shows only the
/// energy of the document's first run.
void add_to(RunDocument& document, ReportedRun& run, nlohmann::ordered_json energy);

}  // namespace tactus::energy
