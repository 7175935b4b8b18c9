// Disassembles instructions to program text, in the form that assembler.h describes.
//
// assemble() of the text gives the same instructions bit for bit, for every bit pattern of every
// legal architecture. Patterns without a meaning, and those with bits that their meaning does not
// use, become Raw.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/tcu/architecture.h"
#include "isa/tcu/instruction.h"

namespace tactus::tcu {

/// Text of an instruction without a line end.
[[nodiscard]] std::string disassemble(const InstructionLayout& layout,
                                      const Instruction& instruction);

/// Text of a whole .tprog: a comment about the architecture, then one instruction per line.
/// `annotate` adds comments: the index of each instruction, problems found by check(), and the
/// effect of Raw patterns. Throws UserError if the size is not a multiple of the instruction size.
[[nodiscard]] std::string disassemble_program(const Architecture& architecture,
                                              const std::vector<std::uint8_t>& bytes,
                                              bool annotate = true);

}  // namespace tactus::tcu
