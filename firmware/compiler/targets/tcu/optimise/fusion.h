// Joins operations of the graph to groups.
#pragma once

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// Returns groups in an order in which they can be computed. A group includes the operations that
/// can be done on its results while they are in the accumulators; `accumulators` is their number.
/// Signs and shifts are not decided yet.
[[nodiscard]] std::vector<Group> fuse(Network& network, std::uint64_t accumulators);

/// Removes pixels and blocks that no output depends on.
void drop_unread(Network& network);

/// Removes pixels and blocks of which no result is live, and subtracts their share of the multiply-
/// accumulates.
void drop_dead(Group& group, const std::vector<bool>& live, std::uint32_t n);

/// Renumbers pixels and blocks of the parts; those whose new number is no_vector are removed.
void renumber(Group& group, const std::vector<std::uint32_t>& pixels,
              const std::vector<std::uint32_t>& blocks);

}  // namespace tactus::compiler::optimise
