// Loads ONNX files as graphs.
//
// Reads models of IR version 3 or later with one version of each operator domain. Real numbers of
// any width become FLOAT, integers (up to 64 bits, also BOOL) INT64; the original type is kept
// beside them. Everything that a Graph cannot represent is refused with a UserError that names
// file, node or tensor, and what is allowed: truncated or foreign files, cycles, undefined or
// multiply defined values, tensors whose data does not fit their shape, sparse tensors, training
// information, texts and complex numbers. Local functions are expanded at their calls. A dimension
// of -1 or 0, as written by old exporters, is open. Sizes in the file are compared with the bytes
// present before memory is allocated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Tensor data in side files is read if resolve_part() allows it.
[[nodiscard]] Graph load_graph(const std::string& path);

/// `where` stands for the file name in messages. Tensor data in side files is refused.
[[nodiscard]] Graph parse_graph(const std::vector<std::uint8_t>& bytes, const std::string& where);

}  // namespace tactus::nn
