// The additional sections on the page of a sweep over Stripe programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firmware/sweep/measure_sections.h"

namespace tactus::sweep {

/// Indices of the Pareto-optimal points, ascending. rows[i] has the values of point i; lower values
/// are better. A point is Pareto-optimal if no other point is at least as good in all values and
/// better in one. Of equal points the first is taken.
[[nodiscard]] std::vector<std::size_t> pareto_points(const std::vector<std::vector<double>>& rows);

/// The sections, each with title and HTML: fronts of latency, energy and area; units; kernels with
/// their predicted time; design ideas. Precondition: `points` is not empty and has only Stripe
/// programs.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> codesign_sections(
    const std::vector<Measured>& points, const std::vector<SweepAxis>& axes);

}  // namespace tactus::sweep
