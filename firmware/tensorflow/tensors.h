// Tensors of TensorFlow's messages: every check between a file's claim and its data.
#pragma once

#include <string>

#include <graph_def.pb.h>

#include "firmware/onnx/graph.h"

namespace tactus::tf {

/// Tensors of more elements than this are not made from a list shorter than their shape: a file of
/// a few bytes could ask for all memory.
inline constexpr std::int64_t most_repeated_elements = std::int64_t{1} << 26;

/// Throws UserError; `subject` begins every message.
[[nodiscard]] nn::Tensor load_tensor(const proto::Tensor& message, const std::string& subject);
void save_tensor(const nn::Tensor& tensor, proto::Tensor& message);

}  // namespace tactus::tf
