// Translation of an ONNX graph to a Stripe program. A node becomes one or two kernels; the lanes'
// dimension of a tensor is the last.
//
// Names of buffers are those of tensors, with "_" in place of characters that are not allowed.
// Nodes that only rename vectors (Transpose, Flatten before a product) make no kernel.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "firmware/compiler/compiler.h"
#include "firmware/compiler/stripe/ir.h"
#include "firmware/compiler/targets/tcu/stripe/lower.h"

namespace tactus::compiler {

struct StripeGraph {
  stripe::Program program;
  /// Contents of the buffers that are constant, row-major in the program's shapes.
  std::map<std::string, std::vector<float>> constants;
  std::map<std::string, std::string> sources;  ///< names of these as in ConstantLosses, by buffer
  /// Results that do not depend on the compiler: layouts of inputs and outputs, the host's part,
  /// notes.
  Compiled described;
  std::map<std::string, std::string> tensors;  ///< buffers of inputs and outputs -> their names
  std::map<std::string, std::string> nodes;    ///< kernels -> the nodes they come from
};

/// Translates a graph. Throws UserError with all nodes that cannot be compiled, or with one that
/// cannot be expressed in Stripe.
[[nodiscard]] StripeGraph stripe_graph(const nn::Graph& graph,
                                       const tcu::Architecture& architecture,
                                       const Options& options = {});

struct ViaStripe {
  Compiled model;           ///< layers are kernels
  StripeGraph graph;        ///< translated from the model
  stripe::Program program;  ///< as it was lowered
  std::vector<BlockCounts> counts;
};

/// Compiles via Stripe. Of the compiler's `options`, outputs, input shapes and the lir dump are
/// used, the strategy is ignored. Throws UserError with the name of a block that the unit cannot
/// execute.
[[nodiscard]] ViaStripe compile_via_stripe(const nn::Graph& graph,
                                           const tcu::Architecture& architecture,
                                           const Options& options = {});

}  // namespace tactus::compiler
