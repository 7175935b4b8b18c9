// Compiles models with the optimiser alone. compile() takes a strategy's program if that is faster,
// which on small cases hides the optimiser's.
#pragma once

#include <functional>
#include <optional>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/targets/tcu/optimise/graph.h"
#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// Changes the optimiser's graph before it is optimised. False: nothing to change, so nothing is
/// compiled.
using ChangeGraph = std::function<bool(optimise::Graph&)>;

/// Empty for a model with a step that the optimiser does not support, and if `change` returns
/// false.
[[nodiscard]] std::optional<Compiled> optimised_alone(const nn::Graph& graph,
                                                      const tcu::Architecture& architecture,
                                                      const ChangeGraph& change = {});

}  // namespace tactus::compiler
