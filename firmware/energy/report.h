// What an energy table makes of a run, in the run's statistics, summary and page.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "firmware/report/run_document.h"

namespace tactus::energy {

/// `run` is the next one of the document; of the first the page has a section.
void add_to(RunDocument& document, ReportedRun& run, nlohmann::ordered_json energy);

}  // namespace tactus::energy
