// What a program costs by the cost model, instruction by instruction, whoever made it.
//
// For the optimiser's own programs it is what the optimiser predicts; for those of a strategy it is
// as near as closed forms come (timeline.h). Instructions are taken in order, without jumps and
// without Configure's effects on memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/timeline.h"
#include "isa/tcu/architecture.h"
#include "isa/tcu/instruction.h"

namespace tactus::compiler::optimise {

struct Prediction {
  std::vector<std::uint64_t> heads;  ///< by part: the decoder's head cycle at its end
  std::uint64_t cycles = 0;          ///< of the whole program
};

/// `ends`: one past the last instruction of each part, rising.
[[nodiscard]] Prediction predict(const std::vector<tcu::Instruction>& program,
                                 const tcu::Architecture& architecture, const Machine& machine,
                                 const std::vector<std::size_t>& ends);

}  // namespace tactus::compiler::optimise
