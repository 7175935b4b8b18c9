// Operators of ONNX Runtime, and forms of operators, written as operators of the standard, for the
// compiler. What they compute by definition stands apart from this, in
// firmware/reference/runtime.cpp.
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
  /// What the attributes of a call must be: "NAME" is neither 0 nor, for a factor, 1; "NAME=TEXT".
  std::vector<std::string> conditions;
  std::vector<std::size_t> refused;  ///< inputs that the function does not have
};

/// What a quantised operator computes is what its operator computes of the real numbers that the
/// integers stand for, quantised again.
/// An operator may have several descriptions, for different forms; the first that a node calls
/// counts.
[[nodiscard]] std::vector<RuntimeFunction> runtime_functions();

}  // namespace tactus::nn
