// Clip between QuantizeLinear and DequantizeLinear, as Brevitas writes it.
#pragma once

#include "firmware/compiler/frontend/expansion.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

/// Expands a Clip of integers that stand for real numbers, and rounds to their steps. Returns false
/// for any other Clip.
bool expand_quantised_clip(Planner& p, Expansion& e);

}  // namespace tactus::compiler
