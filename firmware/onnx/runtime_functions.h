// Operators of ONNX Runtime's own domain, com.microsoft, as functions of ONNX's.
#pragma once

#include <vector>

#include <onnx/onnx_pb.h>

namespace tactus::nn {

/// What a quantised operator computes is what its operator computes of the real numbers that the
/// integers stand for, quantised again.
[[nodiscard]] std::vector<onnx::FunctionProto> runtime_functions();

}  // namespace tactus::nn
