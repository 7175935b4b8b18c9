// Normalisations by the activation unit: a group's sums leave the accumulators twice, as they are
// and normalised.
#pragma once

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// Groups that normalise what one other group makes, vector by vector, become part of that group.
/// For machines with the unit, once it is decided how values are stored.
void take_in_normalisations(Network& network);

}  // namespace tactus::compiler::optimise
