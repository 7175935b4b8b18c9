// The results of a sweep as a self-contained HTML page.
#pragma once

#include <string>

#include "firmware/sweep/results.h"

namespace tactus::sweep {

/// Best points, latency over every key that varies, Pareto fronts, all points, failed points,
/// definition. Throws UserError if there is no line.
[[nodiscard]] std::string report_html(const Results& results);

}  // namespace tactus::sweep
