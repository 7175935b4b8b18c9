// Notes about layers that only rearrange data: why they take time, and on which array sizes they
// would not.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/frontend/model.h"

namespace tactus::compiler {

/// Analyses the network for another array size; null if that fails.
using AnalyseFor = std::function<std::shared_ptr<const Model>(std::uint32_t array_size)>;

/// Returns a sentence for each layer that only rearranges elements and needs instructions for it.
/// It names the array sizes that need none, which are tried with `analyse_for`.
[[nodiscard]] std::vector<std::string> rearrangement_notes(const Model& model,
                                                           const std::vector<LayerInfo>& layers,
                                                           const AnalyseFor& analyse_for);

}  // namespace tactus::compiler
