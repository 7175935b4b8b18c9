// What a model computes by the definition of HIR, without a program: in the data type's arithmetic
// and in real numbers. Their difference is what the data type can reach.
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
  TensorValues typed;  ///< as programs of the strategies compute them, bit for bit
  TensorValues real;
};

/// The outputs of the options, as the device has them (before the host's work). `inputs`: values of
/// one image, by name. Throws what compile() throws for a model that cannot be compiled.
[[nodiscard]] Interpretation interpret(const nn::Graph& graph,
                                       const tcu::Architecture& architecture,
                                       const Options& options, const TensorValues& inputs);

}  // namespace tactus::compiler
