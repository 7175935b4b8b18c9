// What values the operations of a program can take, from interval arithmetic over its steps. Types
// do not say that: a sum is not cut to its type.
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

/// The mantissas of a type; all 64-bit ones if it is unsigned and 64 bits wide.
[[nodiscard]] MantissaRange range_of_type(unsigned width, bool is_signed);

struct OpRange {
  MantissaRange value;    ///< contains every value of the operation, for any input
  MantissaRange inner;    ///< also what is compared or shifted right on the way
  bool fits_type = true;  ///< the result before a cut is certain to fit the type
};

/// One range an operation. What may pass 64 bits on the way has the full range, as sums wrap there.
[[nodiscard]] std::vector<OpRange> value_ranges(const Steps& steps);

}  // namespace tactus::dais
