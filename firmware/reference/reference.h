// ONNX graphs computed in single precision by plain loops: what a model means.
//
// Nothing is shared with the compiler, so that each can be held against the other. Semantics are
// those of the ONNX standard for operator sets 7 to 21; the operators are those of the table in
// reference.cpp: what the compiler translates, and what it may leave to the host. Where the
// standard leaves a choice:
// * Resize of set 10 samples at x / scale; nearest rounds up when shrinking and down otherwise, as
//   the standard's own examples have it.
// * Resize copies a dimension of scale 1, whatever the coordinate mode.
// * Average pooling with ceil_mode counts what lies beyond the padding as absent.
// A pooling window that meets no input at all has no value and is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Tensors by name.
using Values = std::map<std::string, Tensor, std::less<>>;

/// All values of the graph: its inputs and what its nodes make, initializers apart.
/// Throws UserError that names the node: unsupported operator, attribute or operator set, shapes
/// that do not fit, an input that is missing, superfluous, or of another type or shape than stated.
/// `on_node`, if given, is called before each node with its number from 0.
[[nodiscard]] Values run_reference(const Graph& graph, const Values& inputs,
                                   const std::function<void(std::size_t node)>& on_node = {});

/// Whether there is an operator of the node's type in the operator set; forms and attributes are
/// looked at when it runs.
[[nodiscard]] bool reference_has(const Node& node, std::int64_t opset);

/// One node alone; null is an input left out. Optional outputs for training are not computed, so
/// there may be fewer results than outputs.
[[nodiscard]] std::vector<Tensor> run_node(const Node& node, std::int64_t opset,
                                           const std::vector<const Tensor*>& inputs);

}  // namespace tactus::nn
