// Local functions of an ONNX model, written out where they are called.
#pragma once

#include <string>

#include <onnx/onnx_pb.h>

namespace tactus::nn {

/// Every node that calls a function of the model becomes the function's nodes, also within
/// functions and sub-graphs; the model has no functions afterwards. Values inside get the name of
/// the call's first output in front. `where` begins every error (UserError).
void inline_functions(onnx::ModelProto& model, const std::string& where);

}  // namespace tactus::nn
