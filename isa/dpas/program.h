// Kernels: declarations and instructions, and where their variables live in the register file.
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

  std::uint32_t address = 0;  ///< first byte in the register file; filled in by resolve()
  std::uint32_t place = 0;    ///< of the declaration, as Kernel::places; 0: unknown

  [[nodiscard]] std::uint32_t bytes() const { return elements * info(type).bytes; }
};

/// One bit a channel; id 1 is the first.
struct Predicate {
  std::string name;
  std::uint32_t elements = 1;
};

struct Label {
  std::string name;
  bool is_function = false;
};

/// A variable that is set when a thread starts: `size` bytes at byte `offset` of the register file.
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

/// Predefined variables that kernels may read. Tactus keeps them in register 0, at these bytes; the
/// rest of register 0 is zero (our choice).
struct PredefinedVariable {
  std::uint32_t id;
  std::string_view name;  ///< with its %
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
  /// Where each instruction stands: line of the text, or byte of the file.
  std::vector<std::uint32_t> places;

  std::uint32_t registers_used = 0;  ///< filled in by resolve()

  /// Null for ids of predefined and unknown variables.
  [[nodiscard]] const Variable* variable(std::uint32_t id) const {
    const std::uint32_t index = id - first_user_variable;
    return id >= first_user_variable && index < variables.size() ? &variables[index] : nullptr;
  }
  /// Null if there is none of this name.
  [[nodiscard]] const Variable* find_variable(std::string_view variable_name) const;
};

/// A file: .visaasm text or an .isa container.
struct Program {
  std::string source;      ///< name of the file, for messages
  bool is_text = true;     ///< places are lines, otherwise bytes
  std::uint8_t major = 3;  ///< version
  std::uint8_t minor = 6;
  std::vector<Kernel> kernels;
  std::vector<std::string> warnings;  ///< complete lines, for standard error

  /// Of an instruction, for messages behind the name of the file: "12" or "offset 0x1F".
  [[nodiscard]] std::string location(const Kernel& kernel, std::size_t instruction) const;
  /// Of a place; empty of 0.
  [[nodiscard]] std::string location(std::uint32_t place) const;
};

/// Byte of the variable at which a raw or general operand begins.
[[nodiscard]] std::uint32_t offset_in_variable(const Operand& operand, unsigned grf_bytes);

/// Gives every variable its place: inputs at their offsets, then the others in the order of their
/// declarations, by their alignment, each of a register or more from a register on, and none across
/// a register that could fit into one (a linear allocator, our choice; no place is used twice).
/// Aliases share the place of what they alias. Then fills in `address` and `bytes` of every
/// operand, `target` of jumps, and checks every instruction against the rules of legality.h.
///
/// Throws UserError, a line for each mistake: "k.visaasm:12: E_DPAS_ALIGN_SRC1: ...". Warnings go
/// to program.warnings.
void resolve(Program& program, const Profile& profile, const LegalityOptions& options = {});

/// Reads a .visaasm or .isa file without resolving it.
[[nodiscard]] Program parse_program(const std::string& path);
/// Reads and resolves a text or a container: what begins with CISA, or is called .isa.
[[nodiscard]] Program read_program(const std::string& path, const Profile& profile,
                                   const LegalityOptions& options = {});

}  // namespace tactus::dpas
