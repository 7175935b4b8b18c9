// Random numbers that are the same on every platform. A fixed generator makes integers, which one
// correctly rounded operation converts to float.
#pragma once

#include <cstdint>
#include <vector>

namespace tactus::nn {

/// The generator SplitMix64.
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t next() {
    state_ += 0x9E3779B97F4A7C15U;
    std::uint64_t z = state_;
    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9U;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EBU;
    return z ^ (z >> 31);
  }
  /// A uniform integer in -2^23 .. 2^23 - 1.
  std::int32_t step() { return static_cast<std::int32_t>(next() >> 40) - step_range; }
  /// A uniform number in -extent .. extent.
  float uniform(double extent) { return static_cast<float>(step() * (extent / step_range)); }
  /// A uniform number in low .. high. The product has a statement of its own, so that it is rounded
  /// and not fused with the sum.
  float between(double low, double high) {
    const double deviation = step() * ((high - low) / 2 / step_range);
    return static_cast<float>((low + high) / 2 + deviation);
  }

  static constexpr std::int32_t step_range = 1 << 23;

 private:
  std::uint64_t state_;
};

}  // namespace tactus::nn
