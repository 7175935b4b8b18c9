// Largest values of affine expressions over the integer points of a box that constraints cut.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace tactus::stripe {

/// coefficients . x + constant.
struct LinearForm {
  std::vector<std::int64_t> coefficients;
  std::int64_t constant = 0;
};

struct IntegerProgram {
  std::vector<std::uint64_t> ranges;  ///< variable i takes 0..ranges[i]-1
  std::vector<LinearForm> positive;   ///< each >= 0
};

/// The largest value, or a number above it where finding it would take long or leave 64 bits; none
/// if no point satisfies all constraints.
[[nodiscard]] std::optional<std::int64_t> largest(const IntegerProgram& program,
                                                  const LinearForm& objective);

/// The largest value at a point that was found: largest(), or a number below it, or none, where
/// that would take long or leave 64 bits.
[[nodiscard]] std::optional<std::int64_t> largest_found(const IntegerProgram& program,
                                                        const LinearForm& objective);

}  // namespace tactus::stripe
