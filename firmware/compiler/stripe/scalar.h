// Scalars of the interpreter, and the functions on them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/compiler/stripe/ir.h"

namespace tactus::stripe {

/// An integer of 64 bits or a double.
struct Scalar {
  bool is_integer = false;
  std::int64_t integer = 0;
  double real = 0;

  static Scalar of(std::int64_t value) { return {true, value, 0}; }
  static Scalar of_real(double value) { return {false, 0, value}; }
  [[nodiscard]] double as_real() const { return is_integer ? static_cast<double>(integer) : real; }
  /// Rounded towards zero; numbers out of range become the nearest one in it, NaN zero.
  [[nodiscard]] std::int64_t as_integer() const;
  [[nodiscard]] bool truth() const { return is_integer ? integer != 0 : real != 0; }
};

/// Integers wrap to the width of the type, reals are rounded to its precision; DataType::unknown
/// changes nothing. UserError for i128 and prng.
[[nodiscard]] Scalar cast(const Scalar& value, DataType type);

/// A function on scalars, by the spellings of specification and slides ("lt", "cmp_lt", ...).
using ScalarFunction = Scalar (*)(const std::vector<Scalar>& inputs);
/// Null if there is none of this name and number of inputs; `name_known` tells which.
[[nodiscard]] ScalarFunction find_function(std::string_view name, std::size_t inputs,
                                           bool& name_known);

enum class Aggregation { none, add, mul, max, min };
/// "" and "assign" are none.
[[nodiscard]] Aggregation aggregation_of(std::string_view name);
[[nodiscard]] Scalar combine(Aggregation op, const Scalar& a, const Scalar& b);
/// What an aggregation starts from.
[[nodiscard]] Scalar identity(Aggregation op, DataType type);

}  // namespace tactus::stripe
