// Facts about a compiled model that do not depend on how its program was made.
#pragma once

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/frontend/model.h"

namespace tactus::compiler {

/// Layout of an input or output of the program.
[[nodiscard]] TensorLayout layout_of(const Model& model, const std::string& name);

/// Sets the layouts of inputs and outputs, the host's graphs, and notes.
void fill_from_model(Compiled& result, const nn::Graph& graph, const Model& model,
                     const Options& options);
/// Adds a note if the program is empty. Call after the program is made.
void note_if_empty(Compiled& result);

}  // namespace tactus::compiler
