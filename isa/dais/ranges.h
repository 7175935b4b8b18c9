// Ranges of the values that a program's operations can have, by interval arithmetic over its steps.
// Types alone do not give these ranges, since a sum is not cut to its type.
#pragma once

#include <limits>
#include <vector>

#include "isa/dais/steps.h"

namespace tactus::dais {

struct MantissaRange {
  Mantissa low = std::numeric_limits<Mantissa>::min();
  Mantissa high = std::numeric_limits<Mantissa>::max();

  [[nodiscard]] bool within(const MantissaRange& other) const {
    return low >= other.low && high <= other.high;
  }
  friend bool operator==(const MantissaRange& a, const MantissaRange& b) {
    return a.low == b.low && a.high == b.high;
  }
};

/// Mantissas of a type; all 64-bit ones for an unsigned type of 64 bits.
[[nodiscard]] MantissaRange range_of_type(unsigned width, bool is_signed);

struct OpRange {
  MantissaRange value;    ///< contains every value of the operation, for any input
  MantissaRange inner;    ///< also contains intermediate values that are compared or shifted right
  bool fits_type = true;  ///< the result before a cut always fits the type
};

/// One range per operation. An operation whose intermediate values may exceed 64 bits has the full
/// range, since sums wrap.
[[nodiscard]] std::vector<OpRange> value_ranges(const Steps& steps);

}  // namespace tactus::dais
