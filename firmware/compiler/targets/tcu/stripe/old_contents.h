// Sums of products that add to the old contents of a buffer.
#pragma once

#include "firmware/compiler/stripe/ir.h"

namespace tactus::compiler {

/// Changes contractions of main that add to old contents (inout), since the array's sums start at
/// zero: they write to a buffer of their own, and a kernel behind them adds it.
void split_updates(stripe::Block& main);

}  // namespace tactus::compiler
