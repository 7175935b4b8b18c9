#include "isa/tcu/activation.h"

#include <algorithm>

#include "isa/tcu/arithmetic.h"

namespace tactus::tcu {

ActivationParameters neutral_activation(DataType type) {
  const std::int64_t one = std::int64_t{1} << info(type).binary_point;
  return {one, 0, one, info(type).max()};
}

std::int64_t activate(DataType type, const ActivationParameters& p, std::int64_t x) {
  const std::int64_t t = mac(type, MacRounding::sum, x, p.scale, p.offset);
  const std::int64_t y = t < 0 ? mac(type, MacRounding::sum, t, p.slope, 0) : t;
  return std::min(y, p.limit);
}

}  // namespace tactus::tcu
