#include "firmware/compiler/frontend/operators/folding.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "firmware/reference/reference.h"

namespace tactus::compiler {
BroadcastIndex::BroadcastIndex(const nn::Shape& operand, const nn::Shape& result)
    : strides_(result.size(), 0) {
  const std::vector<std::int64_t> own = strides_of(operand);
  const std::size_t skipped = result.size() - operand.size();
  for (std::size_t k = 0; k < operand.size(); ++k) {
    if (operand[k] != 1) strides_[skipped + k] = own[k];
  }
}

std::int64_t BroadcastIndex::operator()(const nn::Shape& position) const {
  std::int64_t index = 0;
  for (std::size_t k = 0; k < strides_.size(); ++k) index += strides_[k] * position[k];
  return index;
}

Reciprocals machine_reciprocals(const std::vector<float>& divisors) {
  float largest = 0;
  for (const float value : divisors) largest = std::max(largest, std::fabs(value));
  Reciprocals result;
  while (std::ldexp(1.0F, result.shift) < largest) ++result.shift;
  if (result.shift <= 2) result.shift = 0;
  for (const float value : divisors) {
    result.factors.push_back(std::ldexp(1.0F, result.shift) / value);
  }
  return result;
}

void fold_arithmetic(Planner& p) {
  p.fold(std::move(nn::run_node(p.node, p.opset(), {p.constant(0), p.constant(1)}).front()));
}

}  // namespace tactus::compiler
