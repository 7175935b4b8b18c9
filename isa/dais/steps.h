// A program prepared for execution: opcodes, fractions and types are turned into shifts and masks.
#pragma once

#include <cstdint>
#include <vector>

#include "isa/dais/arithmetic.h"
#include "isa/dais/program.h"

namespace tactus::dais {

/// How a mux evaluates an unsigned condition. The documents and the generated hardware test the
/// most significant bit. Two generations of da4ml's interpreter compare the value with 2^(width-2)
/// instead. For signed conditions all agree. Source: dais.md section 2.
enum class MuxCompare : std::uint8_t {
  documented,
  v0_3,  ///< da4ml 0.3 to 0.5: value >= 2^(width-2), always true for one bit
  v0_6,  ///< da4ml 0.6: value > max(2^(width-2), 0)
};

enum class StepKind : std::uint8_t {
  copy,
  add,  ///< also subtractions and additions of a constant
  relu,
  quantise,
  constant,
  mux,
  multiply,
  lookup,
  bit_not,
  bit_any,
  bit_all,
  bit_and,
  bit_or,
  bit_xor,
};

struct Step {
  StepKind kind = StepKind::constant;
  bool negate0 = false;  ///< operand 0 is negated first
  bool negate1 = false;
  bool has_id1 = false;  ///< false: operand 1 is `constant`
  bool cuts = false;     ///< the result is cut to width and sign
  bool is_signed = false;
  bool tests_bit = true;  ///< mux: true: condition is bit `test_bit`; false: value >= `constant`
  std::uint8_t test_bit = 0;
  std::uint8_t left0 = 0;  ///< shift of operand 0 to the left; left1: of operand 1
  std::uint8_t left1 = 0;
  std::uint8_t right = 0;  ///< the result is shifted right
  std::uint8_t width = 0;  ///< width of the result's type
  std::uint32_t id0 = 0;   ///< for a copy the number of the input
  std::uint32_t id1 = 0;
  /// mux: number of the condition's value; lookup: number of the table
  std::uint32_t condition = 0;
  Mantissa constant = 0;  ///< added, compared, used as mask, or subtracted before a lookup
  double scale = 1;       ///< copy: factor from reals to mantissas
};

struct OutputStep {
  std::int32_t index = -1;
  bool negative = false;
  double scale = 1;  ///< factor from mantissas to reals
};

struct Steps {
  std::vector<Step> steps;
  std::vector<OutputStep> outputs;
  std::vector<Table> tables;
  std::size_t inputs = 0;
};

/// Prepares a program. Throws UserError if it breaks a rule of check_program(), since executors
/// rely on these rules.
[[nodiscard]] Steps decode_steps(const Program& program,
                                 MuxCompare compare = MuxCompare::documented);

}  // namespace tactus::dais
