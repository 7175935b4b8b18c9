// One instruction statement of the assembler. The text form is described in assembler.h.
#pragma once

#include "isa/tcu/assembler_lexer.h"
#include "isa/tcu/expression.h"
#include "isa/tcu/instruction.h"

namespace tactus::tcu {

struct Statement {
  Instruction instruction;
  bool raw;  ///< given as a bit pattern
};

/// Reads a whole line. Throws SyntaxError, DependsOnError, and UserError (without location) for
/// values that do not fit their fields.
[[nodiscard]] Statement parse_statement(const InstructionLayout& layout, const SymbolTable& symbols,
                                        TokenCursor& cursor);

}  // namespace tactus::tcu
