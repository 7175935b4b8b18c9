// The statements of a leaf block as an expression of the unit's SIMD operations on vectors.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "firmware/compiler/targets/tcu/stripe/nest.h"
#include "isa/tcu/instruction.h"

namespace tactus::compiler::stripe_tcu {

struct Term {
  enum class Kind { input, constant, operation };
  Kind kind = Kind::constant;
  std::string input;  ///< name of the refinement
  double value = 0;   ///< value of a constant; for a lookup the distance of keys
  std::string table;  ///< buffer of a lookup's table
  tcu::SimdOp op = tcu::SimdOp::no_op;
  std::size_t left = 0, right = 0;  ///< terms; a unary operation has a left one only
  std::size_t uses = 0;

  [[nodiscard]] bool is_unary() const {
    return op == tcu::SimdOp::not_ || op == tcu::SimdOp::lookup;
  }
  [[nodiscard]] bool is_zero() const { return kind == Kind::constant && value == 0; }
};

struct Expression {
  std::vector<Term> terms;  ///< operands come before operations
  std::size_t root = 0;
  std::string output;  ///< refinement that is stored to
};

/// Converts a leaf block. Throws UserError with the block's name if its statements are no such
/// expression.
[[nodiscard]] Expression expression_of(const Nest& leaf);

}  // namespace tactus::compiler::stripe_tcu
