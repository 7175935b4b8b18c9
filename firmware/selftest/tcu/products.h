// Expected results, computed with scalar arithmetic or real numbers.
#pragma once

#include <cstdint>

#include "firmware/selftest/tcu/target.h"
#include "isa/tcu/arithmetic.h"

namespace tactus::selftest {

/// Products of vectors with a block of weights: bias, then the weights of input 0, 1, ...
struct Product {
  tcu::DataType type;
  tcu::MacRounding rounding;
  std::uint64_t lanes;

  /// Computes one vector: a multiply-accumulate for each input in order, starting with the bias.
  void row(const std::int64_t* block, const std::int64_t* input, std::int64_t* output) const;
  [[nodiscard]] Lanes of(const Lanes& block, const Lanes& inputs) const;
  void accumulate(Lanes& sums, const Lanes& addends) const;
};

/// y = saturate(factor * x + addend) in real numbers. The usual values are 3.456 and 78.912; the
/// addend is divided by 16 if the data type cannot hold it.
struct Affine {
  explicit Affine(tcu::DataType data_type);

  static constexpr double tolerance = 0.2;

  tcu::DataType type;
  double real_factor = 3.456;
  double real_addend = 78.912;
  std::int64_t factor;  ///< mantissas
  std::int64_t addend;

  /// Returns the largest deviation of `outputs`; fails if it exceeds the tolerance. `two_steps`:
  /// the product saturates before the addition.
  [[nodiscard]] double check(const Lanes& inputs, const Lanes& outputs, bool two_steps) const;
};

}  // namespace tactus::selftest
