// Reads tensors from TensorFlow's messages, with all checks of shape and type against the data.
#pragma once

#include <string>

#include <graph_def.pb.h>

#include "firmware/onnx/graph.h"

namespace tactus::tf {

/// Largest number of elements for a tensor whose list is shorter than its shape; otherwise a file
/// of a few bytes could ask for all memory.
inline constexpr std::int64_t most_repeated_elements = std::int64_t{1} << 26;

/// Throws UserError; every message begins with `subject`.
[[nodiscard]] nn::Tensor load_tensor(const proto::Tensor& message, const std::string& subject);
void save_tensor(const nn::Tensor& tensor, proto::Tensor& message);

}  // namespace tactus::tf
