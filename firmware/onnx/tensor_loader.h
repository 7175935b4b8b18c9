// Tensors of ONNX messages: every check between a file's claim and its data.
#pragma once

#include <string>

#include <onnx/onnx_pb.h>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// The tensor of a message. `subject` begins every error ("model.onnx: initializer \"w\"").
/// `folder` is where side files may lie; empty: they are refused.
[[nodiscard]] Tensor load_tensor(const onnx::TensorProto& proto, const std::string& subject,
                                 const std::string& folder);

/// FLOAT or INT64, else a UserError.
[[nodiscard]] ElementType load_element_type(std::int64_t type, const std::string& subject);

}  // namespace tactus::nn
