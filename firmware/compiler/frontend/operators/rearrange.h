// New tensors from the elements of others, by naming where each element comes from.
//
// Where an output vector is an input vector lane for lane, the output shares it: no code. Every
// other output vector is put together by products with 0/1 matrices, one a source vector, and
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
  std::string name;  ///< of the object the vectors belong to; empty: constants
  Addresses vectors;
};

/// A constant broadcast to a layout, as vectors; lanes beyond the last element are zero.
[[nodiscard]] const Addresses& laid_out(Emitter& e, const std::string& name,
                                        const nn::Tensor& tensor, const Layout& layout);

void rearrange(Emitter& e, const std::string& output, const Layout& layout,
               const std::vector<Piece>& pieces, const FindOrigin& origin, float fill = 0.0F);

/// The emitter of a node that does nothing else; the step remembers it. Parts that nobody wants are
/// left out.
[[nodiscard]] Emit rearranging(Planner& p, Rearrangement rearrangement);

}  // namespace tactus::compiler
