// Code to instructions: weights get their places, and are fetched where the machine waits anyway.
//
// DRAM1 holds the constants in the order in which they are first used, behind those that the
// program starts with. Local memory holds them in a ring, so that one read fetches several; a block
// that is still there is not fetched again. A read goes where the next instruction would wait for
// the array or the accumulators, as long as that wait; what is missing when it is needed is read
// there and then.
//
// On a machine that does DRAM moves beside the head, reads of weights and moves of values go there
// as soon as they can and there is room, those needed first before the others.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/blocks.h"
#include "firmware/compiler/targets/tcu/optimise/lowering.h"
#include "isa/tcu/instruction.h"
#include "isa/tcu/timing.h"

namespace tactus::compiler::optimise {

struct Ring {
  std::uint32_t first = 0, size = 0;  ///< local vectors
  /// Behind it: vectors of blocks that are there before the program starts.
  std::uint32_t resident = 0;
};

/// Local vectors of blocks that the program does not load; the first ones behind `first_constant`
/// in DRAM1.
struct Resident {
  std::uint32_t first = 0, size = 0;
};

/// Head cycles of a job by what took them; waiting counts for the instruction that waits.
struct Costs {
  std::uint64_t matrices = 0;  ///< products of vectors with weights
  std::uint64_t weights = 0;   ///< loading weights, and the array's drain before
  std::uint64_t moves = 0;     ///< accumulators to and from local memory, additions of constants
  std::uint64_t simd = 0;
  std::uint64_t values = 0;   ///< DRAM0
  std::uint64_t fetches = 0;  ///< weights from DRAM1 that no wait hides
};

struct Emitted {
  std::vector<tcu::Instruction> instructions;
  std::vector<std::size_t> job_ends;      ///< instructions, by job
  std::vector<std::uint64_t> job_cycles;  ///< predicted head cycle at the end, by job
  std::vector<Costs> job_costs;
  Resident resident;
  std::uint64_t cycles = 0;                ///< predicted, of the whole program
  std::vector<std::uint32_t> block_order;  ///< in DRAM1
  std::uint64_t fetched = 0;               ///< vectors of weights read
};

/// `first_constant`: the DRAM1 place of the first block. `prologue` runs before the jobs. Who only
/// wants to know the cost leaves out the instructions.
[[nodiscard]] Emitted emit(const Lowered& lowered, const Codes& prologue, const Blocks& blocks,
                           const tcu::Architecture& architecture, const Machine& machine,
                           const Ring& ring, std::uint64_t first_constant, bool keep_instructions);

}  // namespace tactus::compiler::optimise
