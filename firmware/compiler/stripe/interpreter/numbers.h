// Numbers of the interpreter: those of the program's types, or all in one format of fixed point.
#pragma once

#include <algorithm>
#include <cmath>
#include <optional>

#include "firmware/compiler/stripe/interpret.h"
#include "firmware/compiler/stripe/scalar.h"

namespace tactus::stripe::interpreter {

class Numbers {
 public:
  explicit Numbers(const std::optional<FixedPoint>& format) : is_fixed_(format.has_value()) {
    if (!format) return;
    units_ = std::ldexp(1.0, static_cast<int>(format->binary_point));
    unit_ = 1 / units_;
    half_range_ = std::ldexp(1.0, static_cast<int>(format->width_bits) - 1);
  }

  /// Rounds to the format of fixed point if there is one.
  [[nodiscard]] Scalar rounded(const Scalar& value) const {
    if (!is_fixed_) return value;
    const double mantissa = value.as_real() * units_;
    // Half to even: adding and subtracting this leaves no fraction.
    constexpr double no_fraction = 6755399441055744.0;            // 1.5 * 2^52
    const double whole = std::abs(mantissa) < 2251799813685248.0  // 2^51
                             ? (mantissa + no_fraction) - no_fraction
                             : mantissa;
    return Scalar::of_real(std::min(std::max(whole, -half_range_), half_range_ - 1) * unit_);
  }

  /// Casts to a type, or rounds if there is a format; all types of numbers have that one then.
  [[nodiscard]] Scalar to_type(const Scalar& value, DataType type) const {
    const bool number = type != DataType::boolean && type != DataType::prng;
    return is_fixed_ && number ? rounded(value) : cast(value, type);
  }

 private:
  bool is_fixed_;
  /// Fixed point: value of the smallest step, and number of steps in 1.
  double unit_ = 1, units_ = 1;
  double half_range_ = 1;  ///< mantissas below 0
};

}  // namespace tactus::stripe::interpreter
