// ONNX files as graphs.
//
// Reads models of IR version 3 or later with one operator domain version each. Real numbers of any
// width become FLOAT, whole ones (up to 64 bits, BOOL too) INT64; what they were is kept beside.
// Everything a Graph cannot say is refused with a UserError that names file, node or tensor, and
// what is allowed: truncated or foreign files, cycles, undefined or doubly defined values, tensors
// whose data does not match their shape, sparse tensors, training information, texts and complex
// numbers. Local functions are written out where they are called. A dimension of -1 or 0, as old
// exporters have it, is open.
// Sizes in the file are checked against the bytes present before anything is allocated.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/onnx/graph.h"

namespace tactus::nn {

/// Tensor data in side files is read if they lie in one of the model's folders_of() or below it.
[[nodiscard]] Graph load_graph(const std::string& path);

/// `where` stands for the file name in messages. Tensor data in side files is refused.
[[nodiscard]] Graph parse_graph(const std::vector<std::uint8_t>& bytes, const std::string& where);

}  // namespace tactus::nn
