// Resize by products with matrices of weights, one for each dimension.
#pragma once

#include "firmware/compiler/frontend/expansion.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

/// True for forms of Resize that resize.cpp has not: cubic, antialiased, cropped, with a policy for
/// the aspect ratio, and tensors that are no images.
[[nodiscard]] bool is_resized_by_matrices(const Planner& p);
bool expand_by_matrices(Planner& p, Expansion& e);

}  // namespace tactus::compiler
