// The cubic curve with which images are sampled.
#pragma once

#include <cmath>

namespace tactus::nn {

/// Weight of an element at a distance from the place that is sampled; `a` is the slope at distance
/// 1.
[[nodiscard]] inline double cubic_weight(double distance, double a) {
  const double d = std::abs(distance);
  if (d < 1) return ((a + 2) * d - (a + 3)) * d * d + 1;
  if (d < 2) return ((a * d - 5 * a) * d + 8 * a) * d - 4 * a;
  return 0;
}

}  // namespace tactus::nn
