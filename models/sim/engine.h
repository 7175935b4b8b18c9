// How the cycles of a design are worked out.
#pragma once

#include <cstdint>

namespace tactus {

/// Cycle 0 is the first cycle after reset; a cycle spans one rising edge to the next.
using Cycle = std::uint64_t;

enum class Engine : std::uint8_t {
  step,  ///< evaluates every cycle: the reference
  fast,  ///< leaves out cycles in which nothing can happen, and takes what it knows at once
  /// As fast, but every so often evaluates what it would leave out or take from what it knows; an
  /// InternalError names the first difference.
  check,
};

}  // namespace tactus
