// Checks of a graph and of a network between two passes of the optimiser.
//
// They run in all builds. If a pass breaks a rule, an InternalError names the pass, the operation
// or group, and the rule. The time is proportional to the number of operands.
#pragma once

#include <string_view>

#include "firmware/compiler/targets/tcu/optimise/network.h"

namespace tactus::compiler::optimise {

/// Operands are defined before they are read and fit the operation of HIR: their number, and which
/// of them must be constants.
void verify(const Graph& graph);

/// Each vector is computed once, before it is read; parts, windows and rows have the sizes of their
/// group. Once signs are decided: all inputs of a part have the same sign and shift, and operands
/// of SIMD instructions have those that the instruction needs.
void verify(const Network& network, std::string_view pass);

}  // namespace tactus::compiler::optimise
