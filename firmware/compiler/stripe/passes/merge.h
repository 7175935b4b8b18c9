// One block from two that count alike.
#pragma once

#include "firmware/compiler/stripe/passes/alias.h"

namespace tactus::stripe {

/// Merges block b into a, which count alike; `scope` is the alias map of the block around them.
/// Returns false, and leaves both as they are, if they do not count alike or views of theirs
/// overlap in part.
bool merge_blocks(const AliasMap& scope, Block& a, Block& b);

}  // namespace tactus::stripe
