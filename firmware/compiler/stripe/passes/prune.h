// Removal of indexes that take one value only.
#pragma once

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

/// Removes ordinary indexes of range 1 from the block and all below it, but those with a tag of
/// `keep`.
void prune_indexes(Block& block, const Tags& keep);

}  // namespace tactus::stripe
