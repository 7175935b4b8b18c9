// Writes nests as HIR: every point of a nest with the addresses that it reads and writes.
#pragma once

#include <string>

#include "firmware/compiler/frontend/emitter.h"
#include "firmware/compiler/frontend/nest.h"

namespace tactus::compiler {

/// Each writes a nest's operations into the current layer. A product is one MatMul for each batch
/// and tap; windows with equal numbers of pixels and equal factors become one operation.
void enumerate(Emitter& e, const LoopNest& nest);
void enumerate(Emitter& e, const Elementwise& nest);
void enumerate(Emitter& e, const Rearrangement& nest);
void enumerate(Emitter& e, const Renaming& nest);
void enumerate(Emitter& e, const Resampling& nest);

/// Returns a constant broadcast to a layout, as vectors; lanes beyond the last element are zero.
[[nodiscard]] const Addresses& laid_out(Emitter& e, const std::string& name,
                                        const nn::Tensor& tensor, const Layout& layout);

}  // namespace tactus::compiler
