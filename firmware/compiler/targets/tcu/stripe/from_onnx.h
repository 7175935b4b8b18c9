// An ONNX graph as a Stripe program: a kernel or two a node, tensors with the lanes' dimension
// last.
//
// Names of tensors become names of buffers, with "_" for what such names cannot hold. What only
// gives vectors another name (Transpose, Flatten before a product) makes no kernel.
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
  /// What does not depend on the way of compiling: layouts of inputs and outputs, host, notes.
  Compiled described;
  std::map<std::string, std::string> tensors;  ///< buffers of inputs and outputs -> their names
  std::map<std::string, std::string> nodes;    ///< kernels -> the nodes they come from
};

/// UserError with every node that cannot be compiled at all, or one that has no form in Stripe.
[[nodiscard]] StripeGraph stripe_graph(const nn::Graph& graph,
                                       const tcu::Architecture& architecture,
                                       const Options& options = {});

struct ViaStripe {
  Compiled model;           ///< layers are kernels
  StripeGraph graph;        ///< as it came from the model
  stripe::Program program;  ///< as lowered
  std::vector<BlockCounts> counts;
};

/// compile() by way of Stripe. `options` are the compiler's: outputs, input shapes, lir dump; the
/// strategy is not looked at. UserError names the block for what the unit cannot do.
[[nodiscard]] ViaStripe compile_via_stripe(const nn::Graph& graph,
                                           const tcu::Architecture& architecture,
                                           const Options& options = {});

}  // namespace tactus::compiler
