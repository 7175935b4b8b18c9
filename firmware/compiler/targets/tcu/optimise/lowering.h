// Turns jobs into codes.
//
// The first contribution to an accumulator overwrites it, further ones are added; the bias comes
// with a matrix that contributes to all pixels. Vectors that are adjacent in both memories share an
// instruction. ReLU and clipping are saturating additions of constants, one cycle a vector; leaky
// ReLU is two products; maxima and products of run-time values are SIMD instructions. Computed
// weights are loaded from where their vectors lie in local memory.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/blocks.h"
#include "firmware/compiler/targets/tcu/optimise/residence.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler::optimise {

/// Addresses that stay the same for the whole program.
struct Places {
  std::uint32_t pass_vectors = 0;  ///< number of vectors of the greatest value at `greatest`, and
                                   ///< of its negative at `negated`
  std::uint32_t greatest = 0, negated = 0;  ///< local vectors
  /// First local vector of the activation unit's parameters, four vectors a function.
  std::uint32_t activations = 0;
  std::uint64_t arena = 0, arena_end = 0;      ///< local vectors [arena, arena_end) hold chunks
  std::vector<std::uint64_t> inputs, outputs;  ///< DRAM0
  std::uint64_t spill = 0;  ///< chunks displaced from local memory go to DRAM0 from this address on
  /// By group: a constant is added to this many accumulators or more by products of zero vectors,
  /// during which weights can be fetched, and to fewer by DataMoves.
  std::vector<std::uint32_t> least_zeroes;
};

/// A function of the activation unit: the slope below 0, and the upper limit.
struct ActivationFunction {
  float slope = 0, limit = 0;
  bool operator==(const ActivationFunction& o) const {
    return slope == o.slope && limit == o.limit;
  }
};
/// Function of a group that the activation unit computes. `greatest` is the data type's greatest
/// value.
[[nodiscard]] ActivationFunction function_of(const Group& group, float greatest);
[[nodiscard]] std::vector<ActivationFunction> activation_functions(const Network& network,
                                                                   float greatest);

struct Lowered {
  Codes codes;
  std::vector<std::size_t> job_ends;  ///< number of codes up to the end of each job
  std::uint64_t local_end = 0;        ///< one past the highest local vector of a chunk
  std::uint64_t dram0_end = 0;
  std::uint64_t moved = 0;  ///< vectors between DRAM0 and local memory
};

/// Returns nothing if a job does not fit into local memory; `too_large` is then its group.
[[nodiscard]] std::optional<Lowered> lower(const Network& network, Schedule& schedule,
                                           Blocks& blocks, const tcu::Architecture& architecture,
                                           const Places& places, std::uint32_t& too_large);

/// Number of accumulators that a job of this shape needs.
[[nodiscard]] std::uint64_t accumulators_of(const Network& network, const Job& job);

}  // namespace tactus::compiler::optimise
