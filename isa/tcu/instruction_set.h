// The TCU's instruction set as one table: the assembler takes mnemonics, modifiers and moves from
// it, the disassembler writes them, and `tactus explain asm` and `instructions` print it.
//
// Source: hardware spec sections 3, 4 and 12.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/support/reference.h"
#include "isa/tcu/instruction.h"

namespace tactus::tcu {

/// Parts of a machine that no RTL has; an architecture file names them.
enum class Extension : std::uint8_t { none, lookup_tables, dais_blocks, activation_unit };

struct ExtensionInfo {
  std::string_view part;  ///< "a lookup table"
  std::string_view key;   ///< key of the architecture file
};
[[nodiscard]] const ExtensionInfo& info(Extension extension);
[[nodiscard]] bool has(const InstructionLayout& layout, Extension extension);

enum class Memory : std::uint8_t { local, accumulator, dram0, dram1 };
[[nodiscard]] std::string_view memory_name(Memory memory);

/// A kind of DataMove.
struct MoveInfo {
  DataMoveKind kind;
  Memory from, to;
  std::string_view modifier;  ///< "acc", "act" or none
  Extension needs;
  std::string_view effect, cycles;
};
[[nodiscard]] const std::vector<MoveInfo>& moves();

/// ".acc" behind a mnemonic; of SIMD a part such as "read Acc(3)".
struct ModifierInfo {
  std::string_view name;
  unsigned flags;  ///< bits that are set; 0: the kind of the move says it
  Extension needs;
  std::string_view effect;
};

struct InstructionInfo {
  Opcode opcode;
  std::string_view mnemonic;
  Extension needs;
  std::string_view form;  ///< capitals stand for numbers, [] for parts that may be left out
  std::array<std::string_view, 3> operands;
  std::vector<ModifierInfo> modifiers;
  std::string_view effect, cycles;
  std::vector<std::string_view> examples;  ///< for an 8x8 array with all extensions
};
/// All defined instructions, in the order of their opcodes.
[[nodiscard]] const std::vector<InstructionInfo>& instruction_set();

/// Program text that loads, multiplies, rectifies vector by vector and stores.
[[nodiscard]] std::string_view worked_kernel();

/// Tables that explain instructions, flags, SIMD operations and configuration registers.
[[nodiscard]] std::vector<ReferenceTable> instruction_tables();
/// Tables that explain the text form of programs.
[[nodiscard]] std::vector<ReferenceTable> assembly_tables();

}  // namespace tactus::tcu
