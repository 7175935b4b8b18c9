// Kinds of instructions in statistics: opcodes, with DataMove divided by direction. Opcodes of
// extensions depend on the architecture: load_lut or dais if the table or block of that number
// exists, else undefined.
//
// Source: hardware spec section 3.2.
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
  undefined,  ///< opcodes, DataMove kinds and DAIS blocks without effect
};
inline constexpr std::size_t instruction_kinds = 17;

/// Names of a kind; the table is indexed by InstructionKind.
struct InstructionKindInfo {
  std::string_view name;   ///< name in JSON and on the command line
  std::string_view title;  ///< name in program text
};
inline constexpr std::array<InstructionKindInfo, instruction_kinds> instruction_kind_infos = {{
    {"no_op", "NoOp"},
    {"mat_mul", "MatMul"},
    {"load_weights", "LoadWeights"},
    {"simd", "SIMD"},
    {"configure", "Configure"},
    {"dram0_to_local", "DataMove DRAM0 -> Local"},
    {"local_to_dram0", "DataMove Local -> DRAM0"},
    {"dram1_to_local", "DataMove DRAM1 -> Local"},
    {"local_to_dram1", "DataMove Local -> DRAM1"},
    {"accumulator_to_local", "DataMove Acc -> Local"},
    {"local_to_accumulator", "DataMove Local -> Acc"},
    {"local_to_accumulator_accumulate", "DataMove Local -> Acc, accumulate"},
    {"dais", "Dais"},
    {"load_lut", "LoadLUT"},
    {"load_activation", "LoadActivation"},
    {"accumulator_to_local_activated", "DataMove Acc -> Local, activated"},
    {"undefined", "undefined"},
}};

[[nodiscard]] constexpr const InstructionKindInfo& info(InstructionKind kind) {
  return instruction_kind_infos[static_cast<std::size_t>(kind)];
}

[[nodiscard]] inline InstructionKind kind_of(const InstructionLayout& layout,
                                             const Instruction& i) {
  switch (static_cast<Opcode>(i.opcode)) {
    case Opcode::no_op:
      return InstructionKind::no_op;
    case Opcode::mat_mul:
      return InstructionKind::mat_mul;
    case Opcode::load_weights:
      return InstructionKind::load_weights;
    case Opcode::simd:
      return InstructionKind::simd;
    case Opcode::configure:
      return InstructionKind::configure;
    case Opcode::data_move:
      break;
    case Opcode::dais:
      return dais_fields(i).block < layout.dais_block_count ? InstructionKind::dais
                                                            : InstructionKind::undefined;
    case Opcode::load_lut:
      return lookup_table_of(i) < layout.lookup_table_count ? InstructionKind::load_lut
                                                            : InstructionKind::undefined;
    case Opcode::load_activation:
      return layout.activation_unit ? InstructionKind::load_activation : InstructionKind::undefined;
    default:
      return InstructionKind::undefined;
  }
  switch (static_cast<DataMoveKind>(i.flags)) {
    case DataMoveKind::dram0_to_local:
      return InstructionKind::dram0_to_local;
    case DataMoveKind::local_to_dram0:
      return InstructionKind::local_to_dram0;
    case DataMoveKind::dram1_to_local:
      return InstructionKind::dram1_to_local;
    case DataMoveKind::local_to_dram1:
      return InstructionKind::local_to_dram1;
    case DataMoveKind::accumulator_to_local:
      return InstructionKind::accumulator_to_local;
    case DataMoveKind::accumulator_to_local_activated:
      if (!layout.activation_unit) break;
      return InstructionKind::accumulator_to_local_activated;
    case DataMoveKind::local_to_accumulator:
      return InstructionKind::local_to_accumulator;
    case DataMoveKind::local_to_accumulator_accumulate:
      return InstructionKind::local_to_accumulator_accumulate;
  }
  return InstructionKind::undefined;
}

/// Number of vectors that the instruction takes through local memory, the array or the
/// accumulators. The size field, cut to the width of the local streams, plus one; for Dais the
/// vectors of all input samples; for LoadLUT and LoadActivation those of the table or parameters; 1
/// for SIMD; 0 for instructions without vectors. `layout` must be that of the architecture.
[[nodiscard]] std::uint64_t vector_count(const Architecture& architecture,
                                         const InstructionLayout& layout, const Instruction& i);

}  // namespace tactus::tcu
