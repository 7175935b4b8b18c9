// Arithmetic on constants at compile time.
#pragma once

#include <string_view>
#include <vector>

#include "firmware/compiler/frontend/planner.h"

namespace tactus::compiler {

/// Index of a result's element in an operand that is broadcast: both are row-major, with shapes
/// aligned at their last dimensions.
class BroadcastIndex {
 public:
  BroadcastIndex(const nn::Shape& operand, const nn::Shape& result);
  [[nodiscard]] std::int64_t operator()(const nn::Shape& position) const;

 private:
  std::vector<std::int64_t> strides_;  ///< per dimension of the result; 0: repeated
};

/// Factors by which the machine multiplies in place of dividing: 2^shift / divisor. The product is
/// divided by 2^shift, see expand_division() of arithmetic.cpp.
struct Reciprocals {
  std::vector<float> factors;
  int shift = 0;
};

/// A reciprocal near the data type's step would lose precision, so large divisors have a shift.
[[nodiscard]] Reciprocals machine_reciprocals(const std::vector<float>& divisors);

/// Add, Sub, Mul and Div of two constants of one type; integer division rounds toward zero.
void fold_arithmetic(Planner& p);

}  // namespace tactus::compiler
