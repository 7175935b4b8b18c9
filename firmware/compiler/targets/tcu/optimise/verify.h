// What must hold for a graph and for a network between two passes of the optimiser.
//
// In all builds: a pass that breaks a rule ends the compilation with an InternalError that names
// the pass, the operation or group, and the rule. Costs a look at each operand.
#pragma once

#include <string_view>

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// Operands are there before they are read and are what HIR says of the operation: their number,
/// and which must be constants.
void verify(const Graph& graph);

/// Each vector is made once and before it is read; parts, windows and rows have the sizes of their
/// group. With signs (once they are decided): inputs of a part are stored alike, and operands of
/// SIMD instructions as these need them.
void verify(const Network& network, std::string_view pass);

}  // namespace tactus::compiler::optimise
