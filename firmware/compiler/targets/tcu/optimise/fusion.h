// Joins operations of the graph to groups.
#pragma once

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// Returns groups in an order in which they can be computed. A group includes the operations that
/// can be done on its results while they are in the accumulators; `accumulators` is their number.
/// Signs and shifts are not decided yet.
[[nodiscard]] std::vector<Group> fuse(Network& network, std::uint64_t accumulators);

}  // namespace tactus::compiler::optimise
