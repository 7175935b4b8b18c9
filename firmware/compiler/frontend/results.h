// What a compiled model says of itself, whatever way its program was made.
#pragma once

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/frontend/model.h"

namespace tactus::compiler {

/// How an input or output of the program lies in memory.
[[nodiscard]] TensorLayout layout_of(const Model& model, const std::string& name);

/// Fills layouts of inputs and outputs, what is left to the host, and notes.
void fill_from_model(Compiled& result, const nn::Graph& graph, const Model& model,
                     const Options& options);
/// After the program.
void note_if_empty(Compiled& result);

}  // namespace tactus::compiler
