// Elements that a program touches outside of its buffers.
#pragma once

#include <functional>
#include <string>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

/// A view that a statement of a block reads or writes outside of its buffer.
struct OutOfBounds {
  std::string block;       ///< path: "a" / "b"
  std::uint32_t line = 0;  ///< of the refinement, or of a statement around it; 0: none
  std::string what;        ///< as interpret() says it
};

/// Reports, once for a refinement and dimension, elements that interpret() would refuse: those of
/// positions that satisfy the constraints of the block and of all blocks around it. Only positions
/// that were found are reported; the search gives up where constraints are such that it would take
/// long (see largest_found()). The program must be legal in all else.
void find_out_of_bounds(const Program& program,
                        const std::function<void(const OutOfBounds&)>& report);

}  // namespace tactus::stripe
