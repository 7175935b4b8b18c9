// Values of the model that no node makes: inputs and constants.
#pragma once

#include <string>
#include <vector>

#include "firmware/compiler/frontend/model.h"

namespace tactus::compiler {

/// Gives the inputs that nodes read their layouts, from the model and Options::input_shapes. Adds a
/// problem for each shape that is missing, contradicts the model or belongs to no input.
void declare_inputs(Model& model, const Options& options, std::vector<std::string>& problems);
/// The constants stay those of the graph, which must outlive the model.
void declare_constants(Model& model);

}  // namespace tactus::compiler
