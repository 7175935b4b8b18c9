// The additional sections on the page of a sweep over Stripe programs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "firmware/sweep/measure_sections.h"

namespace tactus::sweep {

/// The sections, each with title and HTML: fronts of latency, energy and area; units; kernels with
/// their predicted time; design ideas. Precondition: `points` is not empty and has only Stripe
/// programs.
[[nodiscard]] Sections codesign_sections(const std::vector<Measured>& points,
                                         const std::vector<SweepAxis>& axes);

}  // namespace tactus::sweep
