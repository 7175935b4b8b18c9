// Chooses scales by a law of rounding noise.
//
// A sum of n products, of inputs of RMS X and weights as the machine holds them, has noise of
// n / 12 * (X^2 + 1) + 1 / 12 squared steps: X^2 is the rounding of the weights, 1 that of each
// multiply-accumulate. Minimised is the sum, over all layers, of the noise relative to the mean
// square of the result. Bounds keep tensors, sums, weights and biases within the data type.
#pragma once

#include <vector>

#include "firmware/compiler/scaling/network.h"

namespace tactus::compiler::scaling {

/// What a data type can hold.
struct Range {
  double top = 0;         ///< largest value
  double step = 0;        ///< difference between neighbours
  int fraction_bits = 0;  ///< step is 2^-fraction_bits
};

/// Exponents: the machine holds values times 2^exponent.
struct Solution {
  std::vector<std::vector<int>> groups;  ///< of each group, for each channel
  /// For each layer: exponents of its sums for each output channel, if they are multiplied by a
  /// power of two behind. Empty: they are the result's.
  std::vector<std::vector<int>> sums;
  std::vector<bool> multiplies;  ///< layers behind which a multiply may stand
};

enum class Multiplies {
  none,
  worthwhile,  ///< behind layers where they save most of the noise that they can save
  all,         ///< wherever they reduce the noise
};

/// Exponents without a scale for each channel (`channels` false), or with.
[[nodiscard]] Solution solve(const Network& network, const Range& range, bool channels,
                             Multiplies multiplies);

}  // namespace tactus::compiler::scaling
