// ONNX graphs computed in single precision by plain loops: what a model means.
//
// Nothing is shared with the compiler, so that each can be held against the other. Semantics are
// those of the ONNX standard for operator sets 7 to 13; the operators are those of toolchain spec
// 3.3 (see the table in reference.cpp). Where the standard leaves a choice:
// * Resize of set 10 samples at x / scale; nearest rounds up when shrinking and down otherwise, as
//   the standard's own examples have it.
// * Resize copies a dimension of scale 1, whatever the coordinate mode.
// * Average pooling with ceil_mode counts what lies beyond the padding as absent.
// A pooling window that meets no input at all has no value and is refused.
#pragma once

#include <functional>
#include <map>
#include <string>

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

}  // namespace tactus::nn
