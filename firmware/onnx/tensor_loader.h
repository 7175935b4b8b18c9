// Tensors of ONNX messages: every check between a file's claim and its data.
#pragma once

#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// The tensor of a message. `subject` begins every error ("model.onnx: initializer \"w\"").
/// `folders` are those where side files may lie, see folders_of(); empty: they are refused.
[[nodiscard]] Tensor load_tensor(const onnx::TensorProto& proto, const std::string& subject,
                                 const std::vector<std::string>& folders);

/// FLOAT for real numbers of up to 64 bits, INT64 for whole ones (BOOL among them, UINT64 not);
/// else a UserError.
[[nodiscard]] ElementType load_element_type(std::int64_t type, const std::string& subject);

/// The type to keep beside a tensor or value: 0 for FLOAT and INT64.
[[nodiscard]] std::int32_t stored_type(std::int64_t type);

}  // namespace tactus::nn
