// Predicts the cycles of any program by the cost model, instruction by instruction.
//
// For the optimiser's programs the result equals the optimiser's prediction; for those of a
// strategy it is as exact as the closed forms of timeline.h are. Instructions are taken in program
// order; jumps, and the effect of Configure on addresses, are ignored.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/timeline.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/instruction.h"

namespace tactus::compiler::optimise {

struct Prediction {
  std::vector<std::uint64_t> heads;  ///< cycle of the decoder's head at the end of each part
  std::uint64_t cycles = 0;          ///< of the whole program
};

/// `ends` has one past the last instruction of each part, in increasing order.
[[nodiscard]] Prediction predict(const std::vector<tcu::Instruction>& program,
                                 const tcu::Architecture& architecture, const Machine& machine,
                                 const std::vector<std::size_t>& ends);

}  // namespace tactus::compiler::optimise
