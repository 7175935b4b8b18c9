// Time between two updates of one accumulator.
//
// Nothing in the hardware orders an accumulating write behind the write just before it: it may read
// the old vector and lose the other's sum (hardware spec section 8.1). From an array of 4 on the
// loading of weights between two products of one accumulator takes longer than the first needs. A
// smaller array's weights fit into the read queue of local memory, which lets the decoder run ahead
// to the second update.
#pragma once

#include <cstdint>

#include "firmware/compiler/targets/tcu/lir/lir.h"

namespace tactus::compiler::lir {

/// Whether programs for this array need keep_updates_apart().
[[nodiscard]] constexpr bool updates_collide(std::uint32_t array_size) { return array_size < 4; }

/// Puts a Wait before every accumulating operation that follows, within the segment, a write to
/// accumulators in the same range.
[[nodiscard]] Segment keep_updates_apart(const Segment& segment, std::uint32_t array_size);

}  // namespace tactus::compiler::lir
