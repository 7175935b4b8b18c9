// Notes about layers that only rearrange data: why they take time, and on which array sizes they
// would not.
#pragma once

#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/frontend/model.h"

namespace tactus::compiler {

/// Returns a sentence for each layer that only rearranges elements and needs instructions for it.
[[nodiscard]] std::vector<std::string> rearrangement_notes(const Model& model,
                                                           const std::vector<LayerInfo>& layers);

}  // namespace tactus::compiler
