// Jobs to code: how each is computed.
//
// Sums: the first contribution to each accumulator is written, the others are added; a matrix that
// meets all pixels brings the bias. Neighbours in both memories become one instruction. ReLU,
// clipping are saturating additions of constants, a vector a cycle, leaky ReLU two products; maxima
// and products of run-time values are SIMD instructions.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/blocks.h"
#include "firmware/compiler/targets/tcu/optimise/residence.h"
#include "isa/tcu/architecture.h"

namespace tactus::compiler::optimise {

/// Where things lie that have one place for the whole program.
struct Places {
  std::uint32_t pass_vectors = 0;  ///< each of the greatest value, from `greatest` on, and negated
  std::uint32_t greatest = 0, negated = 0;  ///< local vectors
  std::uint32_t activations = 0;  ///< parameters of the activation unit, four vectors a function
  std::uint64_t arena = 0, arena_end = 0;      ///< local vectors for chunks
  std::vector<std::uint64_t> inputs, outputs;  ///< DRAM0
  std::uint64_t spill = 0;                     ///< DRAM0 from there on
  /// By group: constants are added to so many accumulators and more by products of zero vectors,
  /// under which weights are fetched; to fewer by moves.
  std::vector<std::uint32_t> least_zeroes;
};

/// What the activation unit does to a value below 0, and the most that it leaves.
struct ActivationFunction {
  float slope = 0, limit = 0;
  bool operator==(const ActivationFunction& o) const {
    return slope == o.slope && limit == o.limit;
  }
};
/// Those of the network's groups that the unit computes, each once. `greatest`: of the data type.
[[nodiscard]] ActivationFunction function_of(const Group& group, float greatest);
[[nodiscard]] std::vector<ActivationFunction> activation_functions(const Network& network,
                                                                   float greatest);

struct Lowered {
  Codes codes;
  std::vector<std::size_t> job_ends;  ///< codes, by job
  std::uint64_t local_end = 0;        ///< one past the highest local vector of a chunk
  std::uint64_t dram0_end = 0;
  std::uint64_t moved = 0;  ///< vectors between DRAM0 and local memory
};

/// Nothing if a job does not fit local memory; its group is in `too_large` then.
[[nodiscard]] std::optional<Lowered> lower(const Network& network, Schedule& schedule,
                                           Blocks& blocks, const tcu::Architecture& architecture,
                                           const Places& places, std::uint32_t& too_large);

/// Accumulators that a job of this shape takes.
[[nodiscard]] std::uint64_t accumulators_of(const Network& network, const Job& job);

}  // namespace tactus::compiler::optimise
