// Dependencies between the statements of a block.
#pragma once

#include "firmware/compiler/stripe/passes/alias.h"

namespace tactus::stripe {

/// Sets the dependencies of every statement of the block, except those implied by others. `map` is
/// the block's alias map.
void compute_deps(Block& block, const AliasMap& map);

}  // namespace tactus::stripe
