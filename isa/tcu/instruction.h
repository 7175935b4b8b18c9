// A TCU instruction: its raw fields and their meaning.
//
// Source: hardware spec section 3.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "isa/tcu/layout.h"

namespace tactus::tcu {

/// Opcodes. The hardware consumes 0x5..0xE in one cycle without effect. Extensions of the
/// architecture define some of them: 0x5 with lookup tables, see lookup.h; 0x6 with DAIS blocks,
/// see dais_block.h; 0x7 with an activation unit, see activation.h.
enum class Opcode : std::uint8_t {
  no_op = 0x0,
  mat_mul = 0x1,
  data_move = 0x2,
  load_weights = 0x3,
  simd = 0x4,
  load_lut = 0x5,
  dais = 0x6,
  load_activation = 0x7,
  configure = 0xF,
};

/// Values of DataMove's flags. 0x4..0xB and 0xE are consumed like a NoOp, except 0xE if there is an
/// activation unit.
enum class DataMoveKind : std::uint8_t {
  dram0_to_local = 0x0,
  local_to_dram0 = 0x1,
  dram1_to_local = 0x2,
  local_to_dram1 = 0x3,
  accumulator_to_local = 0xC,
  local_to_accumulator = 0xD,
  accumulator_to_local_activated = 0xE,
  local_to_accumulator_accumulate = 0xF,
};

inline constexpr std::uint8_t mat_mul_accumulate = 1, mat_mul_zeroes = 2;
inline constexpr std::uint8_t load_weights_zeroes = 1;
/// Bit 0 of a Dais instruction's flags; bits 3:1 are the number of the block.
inline constexpr std::uint8_t dais_accumulate = 1;
inline constexpr std::uint8_t simd_read = 1, simd_write = 2, simd_accumulate = 4;

enum class SimdOp : std::uint8_t {
  no_op,
  zero,
  move,
  not_,
  and_,
  or_,
  increment,
  decrement,
  add,
  subtract,
  multiply,
  abs,
  greater_than,
  greater_than_equal,
  min,
  max,
  lookup,  ///< only with lookup tables, see lookup.h
};

/// Configuration registers; writes to other numbers have no effect.
enum class ConfigRegister : std::uint8_t {
  dram0_offset = 0x0,
  dram0_cache = 0x1,
  dram1_offset = 0x4,
  dram1_cache = 0x5,
  timeout = 0x8,
  tracepoint = 0x9,
  program_counter = 0xA,
  sample_interval = 0xB,
};

/// Raw fields of an instruction. encode() and decode() are inverse to each other for every bit
/// pattern of the layout's width, with or without a meaning.
struct Instruction {
  std::uint8_t opcode = 0;     ///< 4 bits
  std::uint8_t flags = 0;      ///< 4 bits
  std::uint64_t operand0 = 0;  ///< low layout.operand0 bits
  std::uint64_t operand1 = 0;
  std::uint64_t operand2 = 0;

  bool operator==(const Instruction& o) const {
    return opcode == o.opcode && flags == o.flags && operand0 == o.operand0 &&
           operand1 == o.operand1 && operand2 == o.operand2;
  }
};

/// `bytes` has layout.instruction_bytes() bytes, as in a .tprog file.
[[nodiscard]] Instruction decode(const InstructionLayout& layout, const std::uint8_t* bytes);
void encode(const InstructionLayout& layout, const Instruction& instruction, std::uint8_t* bytes);

/// Decodes a whole program. Throws UserError if the size is not a multiple of the instruction size.
[[nodiscard]] std::vector<Instruction> decode_program(const InstructionLayout& layout,
                                                      const std::vector<std::uint8_t>& bytes);
[[nodiscard]] std::vector<std::uint8_t> encode_program(const InstructionLayout& layout,
                                                       const std::vector<Instruction>& program);

/// A word whose lowest `bits` bits are ones. An operand may be 64 bits wide, or 0; so shifts by 64
/// are legal.
[[nodiscard]] constexpr std::uint64_t low_bits(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}
[[nodiscard]] constexpr std::uint64_t shift_right(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? 0 : value >> bits;
}

// ---- meaning of the fields -------------------------------------------------------------------

/// An operand with a stride and an address.
struct Operand {
  std::uint64_t address;  ///< the full address field, before truncation to a memory's width
  unsigned stride;        ///< stride code; the step is 2^stride vectors
};

[[nodiscard]] inline Operand operand0_fields(const InstructionLayout& layout,
                                             const Instruction& i) {
  return {i.operand0 & low_bits(layout.operand0_address),
          static_cast<unsigned>(shift_right(i.operand0, layout.operand0_address) &
                                low_bits(layout.stride0))};
}
[[nodiscard]] inline Operand operand1_fields(const InstructionLayout& layout,
                                             const Instruction& i) {
  return {i.operand1 & low_bits(layout.operand1_address),
          static_cast<unsigned>(shift_right(i.operand1, layout.operand1_address) &
                                low_bits(layout.stride1))};
}

/// The SIMD sub-instruction in the low bits of operand2. Selector 0 is input or output, selector k
/// is register k-1.
struct SimdFields {
  SimdOp op;
  unsigned left, right, dest;
};
[[nodiscard]] SimdFields simd_fields(const InstructionLayout& layout, const Instruction& i);

/// Dais: operand0 and operand1 as for MatMul; operand2 is the number of samples minus 1.
struct DaisFields {
  unsigned block;
  bool accumulate;
};
[[nodiscard]] DaisFields dais_fields(const Instruction& i);

/// LoadLUT: operand0 is the local memory operand, operand1 the number of the table.
[[nodiscard]] inline std::uint64_t lookup_table_of(const Instruction& i) { return i.operand1; }

/// Arguments of Configure: the operands form one word with the register in bits 3:0 and a 28-bit
/// value in bits 31:4.
struct ConfigureFields {
  std::uint8_t register_number;
  std::uint32_t value;
};
[[nodiscard]] ConfigureFields configure_fields(const InstructionLayout& layout,
                                               const Instruction& i);

/// The offset of a DRAM bank, as a Configure sets it.
struct BankOffset {
  unsigned bank;        ///< 0 or 1
  std::uint32_t value;  ///< that of the instruction
  /// The register keeps the low 16 bits of the value, which count units of 64 KiB.
  [[nodiscard]] std::uint32_t bytes() const { return value << 16U; }
};
/// Empty: the instruction sets no such offset.
[[nodiscard]] std::optional<BankOffset> bank_offset(const InstructionLayout& layout,
                                                    const Instruction& i);

// ---- builders; throw UserError if a value does not fit its field ------------------------------

[[nodiscard]] Instruction make_no_op();
/// `count` is the number of vectors, at least 1; the field holds count - 1.
[[nodiscard]] Instruction make_mat_mul(const InstructionLayout& layout, Operand local,
                                       Operand accumulator, std::uint64_t count,
                                       bool accumulate = false, bool zeroes = false);
[[nodiscard]] Instruction make_data_move(const InstructionLayout& layout, DataMoveKind kind,
                                         Operand local, Operand other, std::uint64_t count);
[[nodiscard]] Instruction make_load_weights(const InstructionLayout& layout, Operand local,
                                            std::uint64_t count, bool zeroes = false);
[[nodiscard]] Instruction make_simd(const InstructionLayout& layout, SimdFields fields,
                                    std::uint64_t write_address, std::uint64_t read_address,
                                    bool read, bool write, bool accumulate = false);
/// `count` is the number of samples, at least 1.
[[nodiscard]] Instruction make_dais(const InstructionLayout& layout, unsigned block, Operand local,
                                    Operand accumulator, std::uint64_t count,
                                    bool accumulate = false);
/// Loads a whole table.
[[nodiscard]] Instruction make_load_lut(const InstructionLayout& layout, Operand local,
                                        std::uint64_t table);
/// Loads the four vectors of parameters.
[[nodiscard]] Instruction make_load_activation(const InstructionLayout& layout, Operand local);
[[nodiscard]] Instruction make_configure(const InstructionLayout& layout, ConfigRegister reg,
                                         std::uint32_t value);

/// Checks one instruction against the depths of the architecture: all addresses of its vectors are
/// inside their memories, sizes fit, selectors name existing registers, opcode and kind are
/// defined. Returns an empty string, or what is wrong and what is allowed (without a location).
[[nodiscard]] std::string check(const Architecture& architecture, const InstructionLayout& layout,
                                const Instruction& instruction);

struct ProgramProblem {
  std::size_t instruction;
  std::string what;
};

/// Applies check() to the complete instructions, up to the first problem.
[[nodiscard]] std::optional<ProgramProblem> check_program(const Architecture& architecture,
                                                          const InstructionLayout& layout,
                                                          const std::vector<std::uint8_t>& bytes);

}  // namespace tactus::tcu
