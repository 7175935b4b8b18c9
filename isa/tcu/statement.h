// Parser of one assembler statement. assembler.h describes the text form.
#pragma once

#include "isa/tcu/assembler_lexer.h"
#include "isa/tcu/expression.h"
#include "isa/tcu/instruction.h"

namespace tactus::tcu {

struct Statement {
  Instruction instruction;
  bool raw;  ///< given as a bit pattern
};

/// Parses a whole line. Throws SyntaxError, DependsOnError, or UserError (without location) for a
/// value that does not fit its field.
[[nodiscard]] Statement parse_statement(const InstructionLayout& layout, const SymbolTable& symbols,
                                        TokenCursor& cursor);

}  // namespace tactus::tcu
