// Random legal Stripe programs, similar to those of the lowering.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe::test {

using Random = std::mt19937_64;

/// Returns a number from `first` to `last`, both included.
[[nodiscard]] inline std::uint64_t pick(Random& random, std::uint64_t first, std::uint64_t last) {
  return first + random() % (last - first + 1);
}

/// Returns a chain of one to four kernels: convolutions with halo, stride and ragged sizes, matrix
/// products, pools, elementwise sums and ReLU.
[[nodiscard]] Program random_program(Random& random);

/// Returns a list of one to eight passes with random options, as JSON.
[[nodiscard]] std::string random_passes(Random& random);

}  // namespace tactus::stripe::test
