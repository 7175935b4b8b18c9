// New tensors from the elements of others, by naming where each element comes from.
//
// Where an output vector is an input vector lane for lane, the output shares it: no code. Every
// other output vector is put together by products with 0/1 matrices, one a source vector, and
// saved. Source: toolchain spec section 3.3 (Reshape).
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/layout.h"

namespace tactus::compiler {

/// An element of one of the pieces, by its row-major index in the model's order; piece -1: none,
/// the element is the fill value.
struct Origin {
  std::int64_t piece = 0;
  std::int64_t index = 0;
};

struct Piece {
  Layout layout;
  std::string name;  ///< of the object the vectors belong to; empty: constants
  Addresses vectors;
};

/// Where the element at a position (in the model's order) of the output comes from.
using FindOrigin = std::function<Origin(const nn::Shape& position)>;

/// A constant broadcast to a layout, as vectors; lanes beyond the last element are zero.
[[nodiscard]] const Addresses& laid_out(Emitter& e, const std::string& name,
                                        const nn::Tensor& tensor, const Layout& layout);

void rearrange(Emitter& e, const std::string& output, const Layout& layout,
               const std::vector<Piece>& pieces, const FindOrigin& origin, float fill = 0.0F);

}  // namespace tactus::compiler
