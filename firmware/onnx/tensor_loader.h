// Reads tensors of ONNX messages, with all checks of a file's claims against its data.
#pragma once

#include <string>
#include <vector>

#include <onnx/onnx_pb.h>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Reads the tensor of a message. `subject` begins every error ("model.onnx: initializer \"w\"").
/// `file` is the file with the message, see resolve_part(); empty: side files are refused.
[[nodiscard]] Tensor load_tensor(const onnx::TensorProto& proto, const std::string& subject,
                                 const std::string& file);

/// FLOAT for real numbers of up to 64 bits, INT64 for integers (including BOOL, excluding UINT64);
/// else throws UserError.
[[nodiscard]] ElementType load_element_type(std::int64_t type, const std::string& subject);

/// Type to store beside a tensor or value: 0 for FLOAT and INT64.
[[nodiscard]] std::int32_t stored_type(std::int64_t type);

}  // namespace tactus::nn
