// Clip between QuantizeLinear and DequantizeLinear, as Brevitas writes it, and its rounding.
#pragma once

#include "firmware/compiler/frontend/expansion.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

/// Expands a Clip of integers that stand for real numbers, and rounds to their steps. Returns false
/// for any other Clip.
bool expand_quantised_clip(Planner& p, Expansion& e);

/// Rounds a value to multiples of `scale`, which is broadcast over it, if the data type holds
/// `most` as a whole number; else returns the value, and states the error. Rounding is done by the
/// data type: a product with its smallest number is rounded to multiples of that.
std::string rounded_to_steps(Planner& p, Expansion& e, const std::string& x,
                             const nn::Tensor& scale, float most);

}  // namespace tactus::compiler
