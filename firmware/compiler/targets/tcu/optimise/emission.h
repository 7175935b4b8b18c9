// Turns codes into instructions: gives weights their addresses, and fetches them while the machine
// would wait in any case.
//
// DRAM1 holds blocks in the order of their first use, behind the constants that are loaded before
// the program starts. A ring in local memory holds the fetched blocks, so that one read can fetch
// several; a block that is still in the ring is not fetched again. Reads are placed where the next
// instruction would wait for the array or the accumulators, and take no longer than that wait. A
// block that is still missing when it is needed is read directly before its use.
//
// On a machine with a queue for transfers, reads of weights and transfers of values are queued as
// early as their data and the queue allow, in the order in which they are needed.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/blocks.h"
#include "firmware/compiler/targets/tcu/optimise/lowering.h"
#include "firmware/compiler/targets/tcu/optimise/weight_stream.h"
#include "isa/tcu/instruction.h"
#include "isa/tcu/timing.h"

namespace tactus::compiler::optimise {

/// Cycles of a job at the decoder's head, by kind of instruction. Waiting counts for the
/// instruction that waits.
struct Costs {
  std::uint64_t matrices = 0;  ///< products of vectors with weights
  std::uint64_t weights = 0;   ///< loading weights, including the array's drain before them
  /// DataMoves between accumulators and local memory, additions of constants.
  std::uint64_t moves = 0;
  std::uint64_t simd = 0;
  std::uint64_t values = 0;   ///< transfers of values from and to DRAM0
  std::uint64_t fetches = 0;  ///< reads of weights from DRAM1 that no other wait hides
};

struct Emitted {
  std::vector<tcu::Instruction> instructions;
  std::vector<std::size_t> job_ends;  ///< number of instructions up to the end of each job
  /// Predicted cycle of the decoder's head at the end of each job.
  std::vector<std::uint64_t> job_cycles;
  std::vector<Costs> job_costs;
  Resident resident;
  std::uint64_t cycles = 0;                ///< predicted cycles of the whole program
  std::vector<std::uint32_t> block_order;  ///< blocks in the order in which DRAM1 holds them
  std::uint64_t fetched = 0;               ///< vectors of weights that the program reads from DRAM1
};

/// Emits a program. `first_constant` is the DRAM1 address of the first block; `prologue` runs
/// before the jobs. Instructions are left out if only the cost is wanted.
[[nodiscard]] Emitted emit(const Lowered& lowered, const Codes& prologue, const Blocks& blocks,
                           const tcu::Architecture& architecture, const Machine& machine,
                           const Ring& ring, std::uint64_t first_constant, bool keep_instructions);

}  // namespace tactus::compiler::optimise
