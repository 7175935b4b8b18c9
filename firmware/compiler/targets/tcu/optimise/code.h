// The optimiser's program before weights have places: instructions over local memory and
// accumulators, weights by the number of their block.
//
// Blocks get their places in DRAM1 and in local memory when the program is emitted, which is also
// when they are fetched ahead of their use.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/tcu/instruction.h"
#include "isa/tcu/timing.h"

namespace tactus::compiler::optimise {

using Machine = tcu::TimedMachine;

enum class CodeKind : std::uint8_t {
  load_block,       ///< LoadWeights of block `block`; without bias a zero vector follows
  load_local,       ///< LoadWeights of `count` vectors at `local`
  mat_mul,          ///< local, accumulators
  mat_mul_zeroes,   ///< accumulators
  to_accumulators,  ///< local, accumulators
  to_local,         ///< local, accumulators
  load_activation,  ///< the unit's parameters: four vectors at `local`
  load_unit,        ///< the same of block `block`
  simd,
  dram_read,   ///< port, local, DRAM
  dram_write,  ///< DRAM0
  land,        ///< early reads are over by then
};

struct Code {
  CodeKind kind = CodeKind::land;
  bool accumulate = false;
  bool activated = false;                           ///< to_local through the activation unit
  std::uint8_t local_stride = 0, other_stride = 0;  ///< codes
  std::uint8_t port = 0;
  std::uint32_t local = 0;
  std::uint32_t other = 0;  ///< accumulators or DRAM; of a SIMD: what it writes
  std::uint32_t count = 1;
  std::uint32_t block = 0;  ///< of a SIMD: what it reads
  tcu::SimdFields simd{};
  bool simd_reads = false, simd_writes = false;
  bool early = false;  ///< a read from DRAM0 that may come at any time before the next `land`
};

using Codes = std::vector<Code>;

}  // namespace tactus::compiler::optimise
