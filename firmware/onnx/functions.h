// Expands functions of ONNX models at their calls.
#pragma once

#include <string>

#include <onnx/onnx_pb.h>

namespace tactus::nn {

/// Replaces every node that calls a function of the model by the function's nodes, also within
/// functions and sub-graphs; afterwards the model has no functions. Names of values inside are
/// prefixed with the name of the call's first output. `where` begins every error (UserError).
void inline_functions(onnx::ModelProto& model, const std::string& where);

/// Replaces calls of runtime_functions() in the same way. Returns false if there are none.
bool inline_runtime_functions(onnx::ModelProto& model, const std::string& where);

}  // namespace tactus::nn
