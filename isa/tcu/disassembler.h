// Instructions to program text, in the form assembler.h describes.
//
// assemble() of the text gives back the same instructions, bit for bit, for every bit pattern of
// every legal architecture. Patterns whose meaning leaves some of their bits unused, or that have
// no meaning, become Raw.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/tcu/architecture.h"
#include "isa/tcu/instruction.h"

namespace tactus::tcu {

/// One line without line end.
[[nodiscard]] std::string disassemble(const InstructionLayout& layout,
                                      const Instruction& instruction);

/// A whole .tprog: a comment about the architecture, then one instruction a line. `annotate` adds
/// comments: the index of each instruction, what check() objects to, and what a Raw pattern acts
/// as. Throws UserError if the size is not a multiple of the instruction size.
[[nodiscard]] std::string disassemble_program(const Architecture& architecture,
                                              const std::vector<std::uint8_t>& bytes,
                                              bool annotate = true);

}  // namespace tactus::tcu
