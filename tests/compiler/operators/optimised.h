// Compiles models with the optimiser alone. compile() takes a strategy's program if that is faster;
// for small cases it usually is, so the optimiser's program would not be tested.
#pragma once

#include <functional>
#include <optional>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/targets/tcu/optimise/graph.h"
#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// Changes the graph before it is optimised. Returns false if there is nothing to change; then
/// nothing is compiled.
using ChangeGraph = std::function<bool(optimise::Graph&)>;

/// Compiles with the optimiser alone. Empty if the model has a step that the optimiser does not
/// support, or if `change` returns false.
[[nodiscard]] std::optional<Compiled> optimised_alone(const nn::Graph& graph,
                                                      const tcu::Architecture& architecture,
                                                      const ChangeGraph& change = {});

}  // namespace tactus::compiler
