// What a page of a sweep over Stripe programs has beside that of any sweep.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firmware/sweep/measure_sections.h"

namespace tactus::sweep {

/// The points for which no other is as good or better in all values and better in one, ascending.
/// Rows are points, lower values are better. Of equal points the first counts.
[[nodiscard]] std::vector<std::size_t> pareto_points(const std::vector<std::vector<double>>& rows);

/// Titles and HTML: fronts of latency, energy and area, units, kernels beside their predicted time,
/// design ideas. `points` are of Stripe programs, and not empty.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> codesign_sections(
    const std::vector<Measured>& points, const std::vector<SweepAxis>& axes);

}  // namespace tactus::sweep
