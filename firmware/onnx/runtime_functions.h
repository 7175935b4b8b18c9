// Operators of ONNX Runtime, and forms of operators, that are others' in the standard.
#pragma once

#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

namespace tactus::nn {

/// A function that a model calls without bringing it. Operands may be absent: an Add in the body
/// then passes the other operand on, and a node whose first operand is absent is left out.
struct RuntimeFunction {
  onnx::FunctionProto proto;
  std::vector<std::size_t> required;  ///< inputs without which a node is no call of the function
  std::vector<std::size_t> refused;   ///< inputs that the function does not have
  std::vector<std::string> ignored;   ///< attributes without effect on what the function computes
};

/// What a quantised operator computes is what its operator computes of the real numbers that the
/// integers stand for, quantised again.
[[nodiscard]] std::vector<RuntimeFunction> runtime_functions();

}  // namespace tactus::nn
