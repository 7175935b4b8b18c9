// From operations to groups.
#pragma once

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// Groups in an order in which they can be computed; a group takes in what can follow or join it in
/// the accumulators, of which there are so many. Signs and shifts are open.
[[nodiscard]] std::vector<Group> fuse(Network& network, std::uint64_t accumulators);

/// Drops pixels and blocks that no output depends on.
void drop_unread(Network& network);

/// Drops pixels and blocks none of whose results live, and their part of the multiplications.
void drop_dead(Group& group, const std::vector<bool>& live, std::uint32_t n);

/// Pixels and blocks of the parts get new numbers; no_vector: they are dropped.
void renumber(Group& group, const std::vector<std::uint32_t>& pixels,
              const std::vector<std::uint32_t>& blocks);

}  // namespace tactus::compiler::optimise
