// Rearrangements: tensors made of elements of other tensors, given the source of each element.
//
// An output vector that equals an input vector lane for lane is shared and needs no code. Every
// other output vector is computed by products with 0/1 matrices, one for each source vector, and
// saved. Source: toolchain spec section 3.3 (Reshape).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/layout.h"
#include "firmware/compiler/frontend/meaning.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

struct Piece {
  Layout layout;
  std::string name;  ///< name of the object that the vectors belong to; empty: constants
  Addresses vectors;
};

/// A constant broadcast to a layout, as vectors; lanes beyond the last element are zero.
[[nodiscard]] const Addresses& laid_out(Emitter& e, const std::string& name,
                                        const nn::Tensor& tensor, const Layout& layout);

void rearrange(Emitter& e, const std::string& output, const Layout& layout,
               const std::vector<Piece>& pieces, const FindOrigin& origin, float fill = 0.0F);

/// Returns the emitter of a node that is a rearrangement, and stores the rearrangement in the step.
/// Parts without readers are left out.
[[nodiscard]] Emit rearranging(Planner& p, Rearrangement rearrangement);

}  // namespace tactus::compiler
