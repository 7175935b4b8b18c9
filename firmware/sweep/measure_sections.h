// What a page of a sweep has of energies, and of many images, where its points have them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firmware/sweep/findings.h"

namespace tactus::sweep {

/// A table's name, source and unit; empty for a point without energy.
[[nodiscard]] std::string energy_title(const Measured& point);
/// By that table; 0 without one.
[[nodiscard]] double energy_total(const Measured& point);
/// The one table that all points have, as energy_title(); empty if there is none or are several:
/// energies of different tables do not compare.
[[nodiscard]] std::string common_table(const std::vector<Measured>& points);

/// A chart of latency against a cost, with the front of the points that no other beats in both.
[[nodiscard]] std::string front_chart(const std::vector<Measured>& points, const std::string& title,
                                      double (*cost)(const Measured&));

/// Titles and HTML of the sections that these points give, which may be none.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> measure_sections(
    const std::vector<Measured>& points);

}  // namespace tactus::sweep
