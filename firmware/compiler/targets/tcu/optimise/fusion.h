// From operations to groups.
#pragma once

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// Groups in an order in which they can be computed; a group takes in what can follow or join it in
/// the accumulators. Signs and shifts are open.
[[nodiscard]] std::vector<Group> fuse(Network& network);

/// Drops pixels and blocks that no output depends on.
void drop_unread(Network& network);

}  // namespace tactus::compiler::optimise
