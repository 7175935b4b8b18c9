// Models by the optimiser alone: compile() takes a strategy's program where that is quicker, which
// on small cases hides what the optimiser makes.
#pragma once

#include <functional>
#include <optional>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/targets/tcu/optimise/graph.h"
#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// Changes the optimiser's graph before it is optimised. False: there was nothing to change, and
/// nothing is compiled.
using ChangeGraph = std::function<bool(optimise::Graph&)>;

/// Nothing for a model with a step that the optimiser does not know, and where `change` says so.
[[nodiscard]] std::optional<Compiled> optimised_alone(const nn::Graph& graph,
                                                      const tcu::Architecture& architecture,
                                                      const ChangeGraph& change = {});

}  // namespace tactus::compiler
