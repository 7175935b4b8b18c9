// The table of the TCU's instructions. Each kind has a row: its opcode, the extension that it
// needs, the memories that it reads and writes, and its flags. A kind is an opcode or, for
// DataMove, an opcode and a direction. Assembler, disassembler, checks, accesses, timing formulas,
// statistics and pages read the table; instruction_set.h has the texts for users.
//
// Source: hardware spec sections 3.2 and 3.3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "isa/tcu/instruction.h"

namespace tactus::tcu {

enum class InstructionKind : std::uint8_t {
  no_op,
  mat_mul,
  load_weights,
  simd,
  configure,
  dram0_to_local,
  local_to_dram0,
  dram1_to_local,
  local_to_dram1,
  accumulator_to_local,
  local_to_accumulator,
  local_to_accumulator_accumulate,
  dais,
  load_lut,
  load_activation,
  accumulator_to_local_activated,
  undefined,  ///< opcodes, DataMove kinds, tables and DAIS blocks that the machine does not have
};
inline constexpr std::size_t instruction_kinds = 17;

/// Parts of a machine that no RTL has; an architecture file names them.
enum class Extension : std::uint8_t { none, lookup_tables, dais_blocks, activation_unit };

[[nodiscard]] constexpr bool has(const InstructionLayout& layout, Extension extension) {
  switch (extension) {
    case Extension::none:
      break;
    case Extension::lookup_tables:
      return layout.lookup_table_count > 0;
    case Extension::dais_blocks:
      return layout.dais_block_count > 0;
    case Extension::activation_unit:
      return layout.activation_unit;
  }
  return true;
}

[[nodiscard]] inline bool has(const Architecture& architecture, Extension extension) {
  switch (extension) {
    case Extension::none:
      break;
    case Extension::lookup_tables:
      return architecture.lookup_tables.count > 0;
    case Extension::dais_blocks:
      return !architecture.dais_blocks.empty();
    case Extension::activation_unit:
      return architecture.activation_unit;
  }
  return true;
}

/// A memory from which vectors come or to which they go.
enum class VectorMemory : std::uint8_t {
  local,
  accumulators,
  /// All weights of the array count as one place, which any load writes. They are 0 after reset,
  /// and a block with fewer vectors than the array has inputs relies on this.
  weights,
  registers,      ///< SIMD registers R1, R2, ... from 0 on
  lookup_tables,  ///< a whole table is one place
  activation,     ///< parameters of the activation unit, which have defined values at reset
  dram0,
  dram1,
  none,
};
/// Number of memories, from the first on, from which programs should read only what they have
/// written.
inline constexpr std::size_t written_memories = 5;

/// What the hardware does. Kinds that differ only in their memory or in a flag have the same
/// action.
enum class Action : std::uint8_t {
  none,  ///< a NoOp
  multiply,
  load_weights,
  simd,
  configure,
  from_dram,
  to_dram,
  accumulator_to_local,
  local_to_accumulator,
  dais,
  load_table,       ///< entries of a lookup table
  load_activation,  ///< parameters of the activation unit
  undefined,
};

/// The field that gives the number of vectors of an instruction, minus one.
enum class CountField : std::uint8_t {
  none,
  operand1,
  operand2,
  samples,     ///< operand2, in samples of a DAIS block
  table,       ///< no field: a whole table
  parameters,  ///< no field: all parameters of the activation unit
};

/// A row of the table. Local memory is in operand0, any other memory in operand1. Exception: SIMD
/// has the written accumulator in operand0 and the read one in operand1.
struct InstructionKindInfo {
  std::string_view name;   ///< name in JSON and on the command line
  std::string_view title;  ///< name in reports
  Opcode opcode;
  DataMoveKind move;  ///< DataMove only; programs set the flags of all other instructions
  Action action;
  VectorMemory from = VectorMemory::none, to = VectorMemory::none;
  CountField count = CountField::none;
  Extension needs = Extension::none;
  /// Flags with which the instruction adds to the vectors that it writes
  std::uint8_t accumulate = 0;
  std::uint8_t zeroes = 0;  ///< flags with which the instruction uses zeroes instead of reading
};

/// Indexed by InstructionKind.
inline constexpr std::array<InstructionKindInfo, instruction_kinds> instruction_kind_infos = [] {
  using O = Opcode;
  using K = DataMoveKind;
  using A = Action;
  using M = VectorMemory;
  using C = CountField;
  using E = Extension;
  constexpr K any{};
  return std::array<InstructionKindInfo, instruction_kinds>{{
      {"no_op", "NoOp", O::no_op, any, A::none},
      {"mat_mul", "MatMul", O::mat_mul, any, A::multiply, M::local, M::accumulators, C::operand2,
       E::none, mat_mul_accumulate, mat_mul_zeroes},
      {"load_weights", "LoadWeights", O::load_weights, any, A::load_weights, M::local, M::weights,
       C::operand1, E::none, 0, load_weights_zeroes},
      {"simd", "SIMD", O::simd, any, A::simd, M::accumulators, M::accumulators, C::none, E::none,
       simd_accumulate},
      {"configure", "Configure", O::configure, any, A::configure},
      {"dram0_to_local", "DataMove DRAM0 -> Local", O::data_move, K::dram0_to_local, A::from_dram,
       M::dram0, M::local, C::operand2},
      {"local_to_dram0", "DataMove Local -> DRAM0", O::data_move, K::local_to_dram0, A::to_dram,
       M::local, M::dram0, C::operand2},
      {"dram1_to_local", "DataMove DRAM1 -> Local", O::data_move, K::dram1_to_local, A::from_dram,
       M::dram1, M::local, C::operand2},
      {"local_to_dram1", "DataMove Local -> DRAM1", O::data_move, K::local_to_dram1, A::to_dram,
       M::local, M::dram1, C::operand2},
      {"accumulator_to_local", "DataMove Acc -> Local", O::data_move, K::accumulator_to_local,
       A::accumulator_to_local, M::accumulators, M::local, C::operand2},
      {"local_to_accumulator", "DataMove Local -> Acc", O::data_move, K::local_to_accumulator,
       A::local_to_accumulator, M::local, M::accumulators, C::operand2},
      {"local_to_accumulator_accumulate", "DataMove Local -> Acc, accumulate", O::data_move,
       K::local_to_accumulator_accumulate, A::local_to_accumulator, M::local, M::accumulators,
       C::operand2, E::none, 0xF},
      {"dais", "Dais", O::dais, any, A::dais, M::local, M::accumulators, C::samples, E::dais_blocks,
       dais_accumulate},
      {"load_lut", "LoadLUT", O::load_lut, any, A::load_table, M::local, M::lookup_tables, C::table,
       E::lookup_tables},
      {"load_activation", "LoadActivation", O::load_activation, any, A::load_activation, M::local,
       M::activation, C::parameters, E::activation_unit},
      {"accumulator_to_local_activated", "DataMove Acc -> Local, activated", O::data_move,
       K::accumulator_to_local_activated, A::accumulator_to_local, M::accumulators, M::local,
       C::operand2, E::activation_unit},
      {"undefined", "undefined", O::no_op, any, A::undefined},
  }};
}();

[[nodiscard]] constexpr const InstructionKindInfo& info(InstructionKind kind) {
  return instruction_kind_infos[static_cast<std::size_t>(kind)];
}

/// The kinds by opcode and flags.
inline constexpr std::array<InstructionKind, 256> kinds_by_code = [] {
  std::array<InstructionKind, 256> kinds{};
  for (std::size_t code = 0; code < kinds.size(); ++code) {
    kinds[code] = InstructionKind::undefined;
    for (std::size_t k = 0; k < static_cast<std::size_t>(InstructionKind::undefined); ++k) {
      const InstructionKindInfo& row = instruction_kind_infos[k];
      if (static_cast<std::size_t>(row.opcode) != code / 16) continue;
      if (row.opcode == Opcode::data_move && static_cast<std::size_t>(row.move) != code % 16)
        continue;
      kinds[code] = static_cast<InstructionKind>(k);
    }
  }
  return kinds;
}();

/// Returns the kind of an opcode and flags, whether or not the machine has it.
[[nodiscard]] constexpr InstructionKind kind_by_code(const Instruction& i) {
  return kinds_by_code[(i.opcode * std::size_t{16} + i.flags) % kinds_by_code.size()];
}

[[nodiscard]] inline InstructionKind kind_of(const InstructionLayout& layout,
                                             const Instruction& i) {
  const InstructionKind kind = kind_by_code(i);
  switch (info(kind).needs) {
    case Extension::none:
      return kind;
    case Extension::lookup_tables:
      if (lookup_table_of(i) < layout.lookup_table_count) return kind;
      break;
    case Extension::dais_blocks:
      if (dais_fields(i).block < layout.dais_block_count) return kind;
      break;
    case Extension::activation_unit:
      if (layout.activation_unit) return kind;
      break;
  }
  return InstructionKind::undefined;
}

/// Makes an instruction of a kind that takes vectors, except SIMD. `other` is the operand that is
/// not local memory, or the number of a table. Throws UserError if a value does not fit its field.
[[nodiscard]] Instruction make_flow(const InstructionLayout& layout, InstructionKind kind,
                                    unsigned flags, Operand local, Operand other,
                                    std::uint64_t count);

}  // namespace tactus::tcu
