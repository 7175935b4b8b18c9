// The optimiser's program before weights have addresses: instructions on local memory and
// accumulators, which name weights by the number of their block.
//
// Emission (emission.h) gives blocks their addresses in DRAM1 and local memory and inserts the
// reads that fetch them ahead of their use.
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
  load_zeroes,      ///< LoadWeights of `count` zero vectors
  load_table,       ///< lookup table `block`: `count` vectors at `local`
  mat_mul,          ///< local, accumulators
  mat_mul_zeroes,   ///< accumulators
  to_accumulators,  ///< local, accumulators
  to_local,         ///< local, accumulators
  load_activation,  ///< parameters of the activation unit: four vectors at `local`
  load_unit,        ///< parameters of the activation unit, from block `block`
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
  /// Address in accumulators or DRAM; of a SIMD instruction: the accumulator it writes.
  std::uint32_t other = 0;
  std::uint32_t count = 1;
  std::uint32_t block = 0;  ///< block number; of a SIMD instruction: the accumulator it reads
  tcu::SimdFields simd{};
  bool simd_reads = false, simd_writes = false;
  bool early = false;  ///< a read from DRAM0 that may come at any time before the next `land`
};

using Codes = std::vector<Code>;

}  // namespace tactus::compiler::optimise
