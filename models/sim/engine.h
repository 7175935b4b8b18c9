// Engine: the way in which the cycles of a design are evaluated.
#pragma once

#include <cstdint>

namespace tactus {

/// Cycle 0 is the first cycle after reset; a cycle spans one rising edge to the next.
using Cycle = std::uint64_t;

enum class Engine : std::uint8_t {
  step,  ///< evaluates every cycle: the reference
  fast,  ///< skips cycles in which nothing can happen, and takes known sequences at once
  /// Like `fast`, but at intervals it evaluates cycles that `fast` would skip or take as known
  /// sequences, and compares. An InternalError names the first difference.
  check,
};

}  // namespace tactus
