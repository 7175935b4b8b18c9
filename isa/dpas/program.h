// Kernels: declarations, instructions, and the places of the variables in the register file.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/dpas/instruction.h"
#include "isa/dpas/legality.h"
#include "isa/dpas/profile.h"

namespace tactus::dpas {

/// Codes of a variable's alignment.
enum class Align : std::uint8_t {
  byte,
  word,
  dword,
  qword,
  oword,
  grf,
  grf2,
  hword,
  word32,
  word64
};
inline constexpr unsigned align_codes = 10;

struct Variable {
  std::string name;
  Type type = Type::ud;
  std::uint32_t elements = 1;
  Align align = Align::byte;
  std::uint32_t alias_of = null_variable;  ///< id; null_variable: has storage of its own
  std::uint32_t alias_offset = 0;          ///< bytes

  std::uint32_t address = 0;  ///< first byte in the register file; set by resolve()
  std::uint32_t place = 0;    ///< position of the declaration, as in Kernel::places; 0: unknown

  [[nodiscard]] std::uint32_t bytes() const { return elements * info(type).bytes; }
};

/// A predicate: one bit per channel. The first one has id 1.
struct Predicate {
  std::string name;
  std::uint32_t elements = 1;
};

struct Label {
  std::string name;
  bool is_function = false;
};

/// An input: `size` bytes at byte `offset` of the register file, set when a thread starts.
struct Input {
  std::uint32_t variable = 0;
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
  std::uint32_t place = 0;  ///< as Variable::place
};

struct Attribute {
  std::string name;
  std::string value;  ///< a number in decimal
  bool is_number = false;
};

/// A predefined variable that kernels may read. Tactus keeps these variables in register 0 at the
/// bytes given here; the rest of register 0 is zero (Tactus's choice).
struct PredefinedVariable {
  std::uint32_t id;
  std::string_view name;  ///< including its %
  Type type;
  std::uint32_t address;
};
inline constexpr PredefinedVariable predefined_variables[] = {
    {1, "%thread_x", Type::uw, 0},    {2, "%thread_y", Type::uw, 2},
    {3, "%group_id_x", Type::ud, 4},  {4, "%group_id_y", Type::ud, 8},
    {5, "%group_id_z", Type::ud, 12}, {12, "%hw_id", Type::ud, 16},
};

struct Kernel {
  std::string name;
  std::vector<Variable> variables;  ///< variable i has id first_user_variable + i
  std::vector<Predicate> predicates;
  std::vector<Label> labels;
  std::vector<Input> inputs;
  std::vector<Attribute> attributes;
  std::vector<Instruction> instructions;
  /// Position of each instruction: line in the text, or byte in the file.
  std::vector<std::uint32_t> places;

  std::uint32_t registers_used = 0;  ///< set by resolve()

  /// Null for ids of predefined and unknown variables.
  [[nodiscard]] const Variable* variable(std::uint32_t id) const {
    const std::uint32_t index = id - first_user_variable;
    return id >= first_user_variable && index < variables.size() ? &variables[index] : nullptr;
  }
  /// Null if no variable has this name.
  [[nodiscard]] const Variable* find_variable(std::string_view variable_name) const;
};

/// The content of a file: .visaasm text or an .isa container.
struct Program {
  std::string source;      ///< file name, for messages
  bool is_text = true;     ///< places are lines, otherwise bytes
  std::uint8_t major = 3;  ///< version
  std::uint8_t minor = 6;
  std::vector<Kernel> kernels;
  std::vector<std::string> warnings;  ///< complete lines for standard error

  /// Position of an instruction for messages, to follow the file name: "12" or "offset 0x1F".
  [[nodiscard]] std::string location(const Kernel& kernel, std::size_t instruction) const;
  /// Text of a position; empty for 0.
  [[nodiscard]] std::string location(std::uint32_t place) const;
};

/// Offset in its variable, in bytes, of a raw or general operand.
[[nodiscard]] std::uint32_t offset_in_variable(const Operand& operand, unsigned grf_bytes);

/// Places all variables and checks all instructions.
///
/// Inputs go to their offsets. The other variables follow in the order of their declarations, by
/// alignment: those of a register or more start at a register, and none that fits into a register
/// crosses a register border. This is a linear allocator (Tactus's choice) that uses no place
/// twice. An alias shares the place of its variable. Then sets `address` and `bytes` of every
/// operand and `target` of jumps, and checks every instruction against the rules of legality.h.
///
/// Throws UserError with one line per mistake: "k.visaasm:12: E_DPAS_ALIGN_SRC1: ...". Warnings go
/// to program.warnings.
void resolve(Program& program, const Profile& profile, const LegalityOptions& options = {});

/// Reads a .visaasm or .isa file without resolving it.
[[nodiscard]] Program parse_program(const std::string& path);
/// Reads and resolves a text or a container. A file is a container if it begins with CISA or has
/// the extension .isa.
[[nodiscard]] Program read_program(const std::string& path, const Profile& profile,
                                   const LegalityOptions& options = {});

}  // namespace tactus::dpas
