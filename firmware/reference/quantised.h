// Integers that stand for real numbers: scale * (integer - zero point).
#pragma once

#include <algorithm>
#include <cmath>

#include "firmware/reference/call.h"

namespace tactus::nn {

struct QuantisedRange {
  double lowest, highest;
};

/// Range of the integers of a quantised type; fails for other types.
[[nodiscard]] inline QuantisedRange quantised_range(const Call& call, std::int32_t type) {
  switch (type) {
    case onnx_uint8:
      return {0, 255};
    case onnx_int8:
      return {-128, 127};
    case onnx_uint16:
      return {0, 65535};
    case onnx_int16:
      return {-32768, 32767};
    default:
      call.fail("quantises to {}; allowed are INT8, UINT8, INT16, UINT16",
                name_of(ElementType::int64, type));
  }
}

/// The integer for a real number: rounded, ties to the even neighbour, and saturated.
[[nodiscard]] inline std::int64_t quantised(float value, float scale, double zero,
                                            const QuantisedRange& range) {
  const auto whole = static_cast<double>(std::nearbyint(value / scale)) + zero;
  return static_cast<std::int64_t>(std::clamp(whole, range.lowest, range.highest));
}

}  // namespace tactus::nn
