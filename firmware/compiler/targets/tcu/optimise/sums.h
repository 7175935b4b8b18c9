// The steps of a job's sums: the contributions to each block's accumulators, in order.
//
// The first contribution overwrites an accumulator, further ones are added. A matrix that
// contributes to all pixels includes the bias; if there is none, a product of zero vectors writes
// the bias first. Lowering makes instructions of the steps, the interpreter computes their values.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/blocks.h"
#include "firmware/compiler/targets/tcu/optimise/schedule.h"

namespace tactus::compiler::optimise {

struct SumStep {
  enum class Kind : std::uint8_t {
    bias,     ///< the block's bias, into all of its accumulators
    move,     ///< the part's inputs, unchanged
    product,  ///< the part's inputs times its column
  };
  Kind kind = Kind::bias;
  std::uint32_t block = 0;  ///< block of the group's results
  std::size_t part = 0;     ///< part of the group; not for a bias
  std::size_t column = 0;   ///< column of the part; for a product
  bool with_bias = false;   ///< the product includes the block's bias
  bool accumulate = false;  ///< the step adds to the accumulators' contents
};

[[nodiscard]] std::vector<SumStep> sum_steps(const Network& network, Blocks& blocks,
                                             const Job& job);

/// Number of accumulators for a block of the job, before maxima are taken.
[[nodiscard]] inline std::uint32_t area_of(const Group& group, const Job& job) {
  return job.pixels() * group.window;
}

/// Accumulator of a pixel of the parts, counted from the first of its block. Pixels of one maximum
/// are spaced by the number of the job's pixels.
[[nodiscard]] inline std::uint32_t place_of(const Group& group, const Job& job,
                                            std::uint32_t pixel) {
  if (group.window == 1) return pixel - job.first_pixel;
  return pixel % group.window * job.pixels() + pixel / group.window - job.first_pixel;
}

}  // namespace tactus::compiler::optimise
