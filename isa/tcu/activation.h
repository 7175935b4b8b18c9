// The activation unit: a function applied to vectors on their way from the accumulators to local
// memory.
//
// An extension of Tactus's own, absent from the RTL. Four vectors of parameters, loaded by opcode
// 0x7 in the order of their names, give every lane its own function:
//
//   t = scale x + offset, rounded half to even and saturated once, as by the array's
//       multiply-accumulate
//   y = min(limit, t), if t >= 0
//   y = min(limit, slope t), rounded half to even and saturated, if t < 0
//
// This covers batch normalisation, ReLU (slope 0), ReLU6 (limit 6), leaky and parametric ReLU, and
// their combinations. Until parameters are loaded, scale and slope are 1, offset is 0 and limit is
// the largest number, so vectors pass unchanged.
#pragma once

#include <cstdint>

#include "isa/tcu/architecture.h"

namespace tactus::tcu {

inline constexpr unsigned activation_parameters = 4;

/// Parameters of one lane; mantissas.
struct ActivationParameters {
  std::int64_t scale, offset, slope, limit;
};
[[nodiscard]] ActivationParameters neutral_activation(DataType type);
[[nodiscard]] std::int64_t activate(DataType type, const ActivationParameters& p, std::int64_t x);

}  // namespace tactus::tcu
