// Maxima before what is monotone: a pool that is alone in reading a sum goes into it.
//
// max(f(x), f(y)) = f(max(x, y)) for ReLU, leaky ReLU and clipping, rounding included. The maximum
// is then taken where the sums are made, in the accumulators: nothing is moved for it, and the
// activation has fewer pixels to do.
#pragma once

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// Block by block: of a sum, those that one pool alone reads, in windows that do not overlap.
void pool_sums(Network& network);

}  // namespace tactus::compiler::optimise
