// ONNX files as graphs.
//
// Reads models of IR version 3 or later with one operator domain version each, FLOAT and INT64
// tensors. Everything a Graph cannot say is refused with a UserError that names file, node or
// tensor, and what is allowed: truncated or foreign files, cycles, nodes out of order, undefined
// or doubly defined values, tensors whose data does not match their shape, sparse tensors,
// sub-graphs (If, Loop, Scan), local functions, training information, other element types.
// Sizes in the file are checked against the bytes present before anything is allocated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Tensor data in side files is read if they lie in the model's folder or below it.
[[nodiscard]] Graph load_graph(const std::string& path);

/// `where` stands for the file name in messages. Tensor data in side files is refused.
[[nodiscard]] Graph parse_graph(const std::vector<std::uint8_t>& bytes, const std::string& where);

}  // namespace tactus::nn
