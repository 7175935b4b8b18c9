// Turns steps into those of the block kernel: leaves out dead operations, assigns slots by
// liveness, and writes each output as soon as its value is computed.
#pragma once

#include <cstddef>
#include <vector>

#include "isa/dais/fast_kernels.h"
#include "isa/dais/ranges.h"
#include "isa/dais/steps.h"

namespace tactus::dais {

struct FastPlan {
  std::vector<FastStep> steps;  ///< point into the tables of the Steps that the plan was made from
  std::size_t slots = 0;
};

/// The narrowest lane, at least `at_least` bits wide, that holds every value of the program.
[[nodiscard]] unsigned narrowest_lane(const Steps& steps, const std::vector<OpRange>& ranges,
                                      unsigned at_least);

[[nodiscard]] FastPlan make_plan(const Steps& steps, const std::vector<OpRange>& ranges,
                                 unsigned lane_bits);

}  // namespace tactus::dais
