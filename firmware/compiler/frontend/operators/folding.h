// Arithmetic on constants at compile time.
#pragma once

#include <string_view>

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

/// Add, Sub, Mul and Div of two constants, by the reference; integers wrap as their type does.
void fold_arithmetic(Planner& p);

}  // namespace tactus::compiler
