// Rounding to the steps of quantised values of few bits.
#pragma once

#include <string>

#include "firmware/compiler/frontend/expansion.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

/// Rounds a value to multiples of `scale` if the data type holds `most` as a whole number; else
/// returns the value, and states the error.
[[nodiscard]] std::string rounded_to_steps(Planner& p, Expansion& e, const std::string& x,
                                           float scale, float most);

/// Expands a Clip of integers that stand for real numbers, as Brevitas writes it between
/// QuantizeLinear and DequantizeLinear. Returns false for any other Clip.
bool expand_quantised_clip(Planner& p, Expansion& e);

}  // namespace tactus::compiler
