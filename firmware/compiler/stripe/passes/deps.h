// Which statements of a block have to wait for which.
#pragma once

#include "firmware/compiler/stripe/passes/alias.h"

namespace tactus::stripe {

/// Sets the dependencies of every statement of the block, without those that others imply. `map` is
/// that of the block.
void compute_deps(Block& block, const AliasMap& map);

}  // namespace tactus::stripe
