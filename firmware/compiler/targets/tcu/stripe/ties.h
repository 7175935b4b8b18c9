// Tensors of one channel: their last dimension has size 1, so strides do not tell that it is the
// one along the lanes.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::compiler {

/// True if the last dimension has size 1 and a longer one has stride 1, too.
[[nodiscard]] bool is_tie(const stripe::TensorShape& shape);

/// Tag of a buffer with a tie whose last dimension runs along the lanes.
inline constexpr const char* last_along_lanes = "last_along_lanes";

/// Strides of buffers, by name, of one for each dimension.
using BufferStrides = std::map<std::string, std::vector<std::int64_t>, std::less<>>;

/// If a product of the program (two loads, mul, and a store that is aggregated by add) has an
/// operand with a tie: tags the buffers of entry and main that have one, and spreads them, so that
/// only their last dimension has stride 1, as in the unit's memory, and passes find the products'
/// indexes. Returns the strides as they were, for set_strides().
[[nodiscard]] BufferStrides spread_ties(stripe::Program& program, std::uint64_t lanes);

/// Sets the strides of buffers of entry and main, and of all views of them.
void set_strides(stripe::Program& program, const BufferStrides& strides);

}  // namespace tactus::compiler
