// How a job's sums are made: the contributions to each block's accumulators, in order.
//
// The first contribution to an accumulator is written, the others are added. A matrix that meets
// all pixels brings the bias; where none does, the bias is a product of zeroes of its own. Lowering
// turns the steps into instructions, the interpreter into numbers.
#pragma once

#include <cstdint>
#include <vector>

#include "firmware/compiler/targets/tcu/optimise/blocks.h"
#include "firmware/compiler/targets/tcu/optimise/schedule.h"

namespace tactus::compiler::optimise {

struct SumStep {
  enum class Kind : std::uint8_t {
    bias,     ///< the block's bias, into all of its accumulators
    move,     ///< the part's inputs as they lie
    product,  ///< the part's inputs times its column
  };
  Kind kind = Kind::bias;
  std::uint32_t block = 0;  ///< of the group's results
  std::size_t part = 0;     ///< of the group; not for a bias
  std::size_t column = 0;   ///< of the part; for a product
  bool with_bias = false;   ///< the product brings the block's bias
  bool accumulate = false;  ///< added to what is there
};

[[nodiscard]] std::vector<SumStep> sum_steps(const Network& network, Blocks& blocks,
                                             const Job& job);

/// Accumulators of a block of the job before its maxima are taken.
[[nodiscard]] inline std::uint32_t area_of(const Group& group, const Job& job) {
  return job.pixels() * group.window;
}

/// The accumulator of a pixel of the parts, counted from its block's first. Pixels that meet in a
/// maximum are apart by the job's pixels.
[[nodiscard]] inline std::uint32_t place_of(const Group& group, const Job& job,
                                            std::uint32_t pixel) {
  if (group.window == 1) return pixel - job.first_pixel;
  return pixel % group.window * job.pixels() + pixel / group.window - job.first_pixel;
}

}  // namespace tactus::compiler::optimise
