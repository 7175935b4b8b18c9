// Computes a model by the definition of HIR, without a program: in the data type's arithmetic and
// in real numbers. The difference is the error that the data type causes.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/onnx/graph.h"

namespace tactus::compiler {

/// Tensors by name, in the model's order of elements.
using TensorValues = std::map<std::string, std::vector<float>>;

struct Interpretation {
  TensorValues typed;  ///< equal, bit for bit, to the results of the strategies' programs
  TensorValues real;
};

/// Computes the outputs that the options name, before the host's work. `inputs`: values of one
/// image, by name. Throws the same errors as compile() for a model that cannot be compiled.
[[nodiscard]] Interpretation interpret(const nn::Graph& graph,
                                       const tcu::Architecture& architecture,
                                       const Options& options, const TensorValues& inputs);

}  // namespace tactus::compiler
