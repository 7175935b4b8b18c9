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

/// A function on scalars. Its names are those of the specification and of the slides ("lt",
/// "cmp_lt", ...).
using ScalarFunction = Scalar (*)(const std::vector<Scalar>& inputs);
/// Finds a function by name and number of inputs; null if there is none. `name_known`: only the
/// number of inputs is wrong.
[[nodiscard]] ScalarFunction find_function(std::string_view name, std::size_t inputs,
                                           bool& name_known);
/// What is wrong with a function that find_function() is to find; empty if nothing is.
[[nodiscard]] std::string function_problem(const Intrinsic& op);

enum class Aggregation { none, add, mul, max, min };
/// "" and "assign" are none.
[[nodiscard]] Aggregation aggregation_of(std::string_view name);
[[nodiscard]] Scalar combine(Aggregation op, const Scalar& a, const Scalar& b);
/// Start value of an aggregation.
[[nodiscard]] Scalar identity(Aggregation op, DataType type);

}  // namespace tactus::stripe
