// Another dimension comes to run along the lanes: a transposition of N x N blocks.
#pragma once

#include "firmware/compiler/frontend/expansion.h"

namespace tactus::compiler {

/// A layout whose lanes are another dimension than before, by log2(N) products of all vectors
/// instead of one for each lane of each vector. False: it is something else, N is no power of two,
/// or the one matrix a lane costs less.
[[nodiscard]] bool expand_lane_turn(Planner& p, Expansion& e);

}  // namespace tactus::compiler
