// Random legal Stripe programs, of the kinds that lowering makes.
#pragma once

#include <cstdint>
#include <random>
#include <string>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe::test {

using Random = std::mt19937_64;

/// From first to last, both included.
[[nodiscard]] inline std::uint64_t pick(Random& random, std::uint64_t first, std::uint64_t last) {
  return first + random() % (last - first + 1);
}

/// One to four kernels in a chain: convolutions with halo, stride and ragged sizes, products of
/// matrices, pools, elementwise sums and ReLU.
[[nodiscard]] Program random_program(Random& random);

/// A list of one to eight passes with random options, as JSON.
[[nodiscard]] std::string random_passes(Random& random);

}  // namespace tactus::stripe::test
