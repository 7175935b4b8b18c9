// Writes nests as HIR: every point of a nest with the addresses that it reads and writes.
#pragma once

#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/loop_nest.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

/// Writes the nest's operations into the current layer. A product is one MatMul for each batch and
/// tap; windows with equal numbers of pixels and equal factors become one operation.
void enumerate(Emitter& e, const LoopNest& nest);

/// Makes the nest the meaning of the planner's step, and returns its emitter.
[[nodiscard]] Emit plan_nest(Planner& p, LoopNest nest);

}  // namespace tactus::compiler
