// Table of the vISA instructions that Tactus supports. Errors of the assembler list its mnemonics;
// `tactus explain asm` and `instructions` print it with --machine dpas.
//
// Sources: spec section 7 and the vISA pages it names.
#pragma once

#include <string_view>
#include <vector>

#include "isa/dpas/instruction.h"
#include "isa/support/reference.h"

namespace tactus::dpas {

struct InstructionInfo {
  Opcode opcode;
  std::string_view mnemonic;
  std::string_view form;  ///< capitals stand for names and numbers; parts in [] are optional
  std::string_view operands;
  std::string_view effect, cycles;
  std::string_view example;
};
[[nodiscard]] const std::vector<InstructionInfo>& instruction_set();

/// An example kernel that loads tiles, multiplies and stores.
[[nodiscard]] std::string_view worked_kernel();

[[nodiscard]] std::vector<ReferenceTable> instruction_tables();
[[nodiscard]] std::vector<ReferenceTable> assembly_tables();

}  // namespace tactus::dpas
