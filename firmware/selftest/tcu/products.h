// Computes expected results with scalar arithmetic or real numbers.
#pragma once

#include <cstdint>

#include "firmware/selftest/tcu/target.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::selftest {

/// Multiplies vectors with a block of weights. The block has the bias, then the weights of input 0,
/// of input 1, ..., each a vector.
struct Product {
  tcu::DataType type;
  tcu::MacRounding rounding;
  std::uint64_t lanes;

  /// Computes one vector: a multiply-accumulate for each input in order, starting with the bias.
  void row(const std::int64_t* block, const std::int64_t* input, std::int64_t* output) const;
  /// Computes all vectors of `inputs`.
  [[nodiscard]] Lanes of(const Lanes& block, const Lanes& inputs) const;
  /// Adds to the sums as the accumulators do, saturating.
  void accumulate(Lanes& sums, const Lanes& addends) const;
};

/// The function y = saturate(factor * x + addend) in real numbers, with factor 3.456 and addend
/// 78.912. The addend is divided by 16 if the data type cannot hold it.
struct Affine {
  explicit Affine(tcu::DataType data_type);

  static constexpr double tolerance = 0.2;  ///< largest allowed deviation, absolute

  tcu::DataType type;
  double real_factor = 3.456;
  double real_addend = 78.912;
  std::int64_t factor;  ///< mantissa of real_factor
  std::int64_t addend;  ///< mantissa of real_addend

  /// Returns the largest deviation of `outputs` and fails the test if it exceeds the tolerance.
  /// With `two_steps` the product saturates before the addition.
  [[nodiscard]] double check(const Lanes& inputs, const Lanes& outputs, bool two_steps) const;
};

}  // namespace tactus::selftest
