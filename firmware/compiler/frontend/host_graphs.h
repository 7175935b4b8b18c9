// The graphs of the nodes that the host computes before and after the program.
#pragma once

#include <string>
#include <vector>

#include "firmware/compiler/frontend/model.h"

namespace tactus::compiler {

/// Makes a graph of the nodes that the host computes before the program. Its values that the
/// program reads become inputs of the program.
void form_graph_before(Model& model);
/// Makes a graph of the nodes that the host computes after the program for requested outputs. Its
/// inputs are the program's outputs "device:NAME" and values known before the program; its outputs
/// are those outputs of the model that it computes, and constant ones. Called before
/// form_graph_before().
void form_host_graph(Model& model);
/// Adds steps for final Softmax nodes: the program's output with their name contains their operand.
void add_final_steps(Model& model);
/// Computes the host's part once, so that an invalid model is refused now and not when it is run.
/// Sets the shapes of its outputs.
void try_host_graph(Model& model, std::vector<std::string>& problems);

}  // namespace tactus::compiler
