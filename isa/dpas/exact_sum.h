// An exact sum of products of floats.
//
// A fixed-point number of 640 bits: from 2^-320, below the smallest product of two floats, to far
// above the largest sum of one instruction.
#pragma once

#include <array>
#include <cstdint>

namespace tactus::dpas {

class ExactSum {
 public:
  void add(float value) { add_product(value, 1.0F); }
  void add_product(float a, float b);
  /// The nearest float, ties to even. NaN if a term was NaN, inf * 0, or if +inf and -inf were
  /// added. A sum of only negative zeros is -0, any other zero is +0. With `flush`, denormal
  /// results become zero.
  [[nodiscard]] float rounded(bool flush) const;

 private:
  static constexpr unsigned limbs = 10;
  static constexpr int lowest = -320;  ///< exponent of bit 0
  void accumulate(std::uint64_t significand, int exponent, bool negative);

  std::array<std::uint64_t, limbs> sum_{};  ///< two's complement, lowest limb first
  bool nan_ = false;
  bool plus_infinity_ = false;
  bool minus_infinity_ = false;
  bool any_plus_ = false;  ///< a term other than -0 was added
  bool any_term_ = false;
};

}  // namespace tactus::dpas
