// Divides a node whose terms do not fit local memory at once: a product over parts of its inputs,
// whose results are added, or a maximum over parts of its elements.
//
// Parts are whole vectors along the lanes, so that cutting them out moves no data.
#pragma once

#include <cstdint>

#include "firmware/compiler/frontend/expansion.h"
#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

/// True for operators that expand_in_parts() divides.
[[nodiscard]] bool can_be_divided(const nn::Node& node);

/// Writes the node as `parts` nodes, or fewer where a part would be less than a vector, and what
/// joins their results. Returns false if the node cannot be divided.
bool expand_in_parts(Planner& p, Expansion& e, std::int64_t parts);

}  // namespace tactus::compiler
