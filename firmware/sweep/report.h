// Makes the page of a sweep's results, one self-contained HTML file.
#pragma once

#include <string>

#include "firmware/sweep/results.h"

namespace tactus::sweep {

/// The page as HTML. Its sections are: best points, latency over each key that varies, Pareto
/// fronts, all points, failed points, definition. Throws UserError if there are no results.
[[nodiscard]] std::string report_html(const Results& results);

}  // namespace tactus::sweep
