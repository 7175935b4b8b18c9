// Constants that the data type cannot hold: products are folded where that keeps what is lost
// otherwise, and the rest is told.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/onnx/graph.h"

namespace tactus::compiler {

struct Folding {
  std::shared_ptr<const nn::Graph> graph;  ///< null: nothing was folded
  std::vector<std::string> notes;          ///< what was folded and why
};

/// Folds products (folded_products.h) whose constants or those around them saturate or lose a large
/// part of their values in the data type, if the folded constants keep more. Never with compat.
[[nodiscard]] Folding fold_lossy_products(const nn::Graph& graph,
                                          const tcu::Architecture& architecture,
                                          const Options& options);

/// Adds the notes of the folding and about the losses of the program's constants.
void tell_constants(Compiled& compiled, Folding folding);

}  // namespace tactus::compiler
