// The texts for users of the TCU's instructions. The assembler reads mnemonics and modifiers from
// here, the disassembler writes them, and `tactus explain asm` and `instructions` print everything.
// The table in instruction_kind.h says what instructions do.
//
// Source: hardware spec sections 3, 4 and 12.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/reference.h"
#include "isa/tcu/instruction_kind.h"

namespace tactus::tcu {

struct ExtensionInfo {
  std::string_view part;  ///< "a lookup table"
  std::string_view key;   ///< key of the architecture file
};
[[nodiscard]] const ExtensionInfo& info(Extension extension);

/// Names of a memory that an operand can name.
struct MemoryInfo {
  std::string_view written;  ///< in program text: "Acc"
  std::string_view name;     ///< in messages, before "address"
  std::string_view place;    ///< in messages, after "outside"
};
[[nodiscard]] const MemoryInfo& info(VectorMemory memory);

/// A kind of DataMove.
struct MoveInfo {
  InstructionKind kind;
  std::string_view modifier;  ///< "acc", "act" or none
  std::string_view effect, cycles;
};
[[nodiscard]] const std::vector<MoveInfo>& moves();

/// A modifier such as ".acc" after a mnemonic; for SIMD a part such as "read Acc(3)".
struct ModifierInfo {
  std::string_view name;
  unsigned flags;  ///< bits that are set; 0: the kind of DataMove implies it
  Extension needs;
  std::string_view effect;
};

struct InstructionInfo {
  Opcode opcode;
  std::string_view mnemonic;
  std::string_view form;  ///< capitals stand for numbers, [] for optional parts
  std::array<std::string_view, 3> operands;
  std::vector<ModifierInfo> modifiers;
  std::string_view effect, cycles;
  std::vector<std::string_view> examples;  ///< for an 8x8 array with all extensions

  /// The instruction's kind; for DataMove the first of its kinds.
  [[nodiscard]] InstructionKind kind() const {
    return kinds_by_code[static_cast<std::size_t>(opcode) * 16];
  }
  [[nodiscard]] Extension needs() const { return info(kind()).needs; }
};
/// All defined instructions, in the order of their opcodes.
[[nodiscard]] const std::vector<InstructionInfo>& instruction_set();
/// Returns the entry of a defined opcode.
[[nodiscard]] const InstructionInfo& info(Opcode opcode);

/// Program text that loads, multiplies, rectifies vector by vector and stores.
[[nodiscard]] std::string_view worked_kernel();

/// Tables that explain instructions, flags, SIMD operations and configuration registers.
[[nodiscard]] std::vector<ReferenceTable> instruction_tables();
/// Tables that explain the text form of programs.
[[nodiscard]] std::vector<ReferenceTable> assembly_tables();

}  // namespace tactus::tcu
