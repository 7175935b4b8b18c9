// Why layers that only move data take time, and on which arrays they would not.
#pragma once

#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/frontend/model.h"

namespace tactus::compiler {

/// A sentence for each layer that does nothing but rearrange elements and has instructions for it.
[[nodiscard]] std::vector<std::string> rearrangement_notes(const Model& model,
                                                           const std::vector<LayerInfo>& layers);

}  // namespace tactus::compiler
