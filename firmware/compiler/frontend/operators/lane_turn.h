// Change of the dimension along the lanes: a transposition of N x N blocks.
#pragma once

#include "firmware/compiler/frontend/expansion.h"

namespace tactus::compiler {

/// Expands a layout change with another dimension along the lanes into log2(N) products of all
/// vectors, in place of one product for each lane of each vector. Returns false if it is something
/// else, if N is no power of two, or if the latter is cheaper.
[[nodiscard]] bool expand_lane_turn(Planner& p, Expansion& e);

}  // namespace tactus::compiler
