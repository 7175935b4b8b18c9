// Sums of products that go on from what a buffer holds.
#pragma once

#include "firmware/compiler/stripe/ir.h"

namespace tactus::compiler {

/// The array starts its sums from nothing. Contractions of main that add onto old contents (inout)
/// write to a buffer of their own, which a kernel behind them adds.
void split_updates(stripe::Block& main);

}  // namespace tactus::compiler
