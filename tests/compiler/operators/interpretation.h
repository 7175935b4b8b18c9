// Computes a network by the definition of its HIR operations (hir::Interpreter), without a program.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// Values of tensors in the model's order, by name.
using TensorValues = std::map<std::string, std::vector<float>>;

/// Returns the outputs of the network in the architecture's data type. `inputs` are those of the
/// program.
[[nodiscard]] TensorValues interpret(const nn::Graph& graph, const tcu::Architecture& architecture,
                                     const Options& options, const TensorValues& inputs);

}  // namespace tactus::compiler
