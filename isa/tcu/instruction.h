// One TCU instruction: its raw fields, and their meaning.
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

/// Values 0x5..0xE are legal encodings that the hardware consumes in one cycle without effect. With
/// the architecture's extensions some are instructions: 0x5 with lookup tables, see lookup.h; 0x6
/// with DAIS blocks, see dais_block.h; 0x7 with an activation unit, see activation.h.
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

/// DataMove flag values; 0x4..0xB and 0xE are consumed like a NoOp, 0xE not with an activation
/// unit.
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
/// Bits 3:1 of a Dais instruction's flags are the number of the block.
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

/// Configuration registers; other numbers have no effect.
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

/// The raw fields of an instruction. encode/decode are inverse to each other for every bit pattern
/// of the layout's width, whether or not the hardware gives it a meaning.
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

/// `bytes` holds layout.instruction_bytes() bytes, as in a .tprog file.
[[nodiscard]] Instruction decode(const InstructionLayout& layout, const std::uint8_t* bytes);
void encode(const InstructionLayout& layout, const Instruction& instruction, std::uint8_t* bytes);

/// A whole program. Throws UserError if the size is not a multiple of the instruction size.
[[nodiscard]] std::vector<Instruction> decode_program(const InstructionLayout& layout,
                                                      const std::vector<std::uint8_t>& bytes);
[[nodiscard]] std::vector<std::uint8_t> encode_program(const InstructionLayout& layout,
                                                       const std::vector<Instruction>& program);

/// A number of so many one bits. An operand may be 64 bits wide, or 0; so shifts by 64 are legal.
[[nodiscard]] constexpr std::uint64_t low_bits(unsigned bits) {
  return bits >= 64 ? ~std::uint64_t{0} : (std::uint64_t{1} << bits) - 1;
}
[[nodiscard]] constexpr std::uint64_t shift_right(std::uint64_t value, unsigned bits) {
  return bits >= 64 ? 0 : value >> bits;
}

// ---- meaning of the fields -------------------------------------------------------------------

/// A stride-and-address operand.
struct Operand {
  std::uint64_t address;  ///< the full address field, before truncation to a memory's width
  unsigned stride;        ///< stride code: step 2^stride vectors
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

/// SIMD sub-instruction in the low bits of operand2. Selector 0 is input/output, k is register k-1.
struct SimdFields {
  SimdOp op;
  unsigned left, right, dest;
};
[[nodiscard]] SimdFields simd_fields(const InstructionLayout& layout, const Instruction& i);

/// Dais: operand0 and operand1 are those of MatMul, operand2 is the number of samples minus 1.
struct DaisFields {
  unsigned block;
  bool accumulate;
};
[[nodiscard]] DaisFields dais_fields(const Instruction& i);

/// LoadLUT: operand0 is local memory's, operand1 is the number of the table.
[[nodiscard]] inline std::uint64_t lookup_table_of(const Instruction& i) { return i.operand1; }

/// Configure arguments: register in bits 3:0, 28-bit value in bits 31:4 of the operands as one
/// word.
struct ConfigureFields {
  std::uint8_t register_number;
  std::uint32_t value;
};
[[nodiscard]] ConfigureFields configure_fields(const InstructionLayout& layout,
                                               const Instruction& i);

// ---- builders; throw UserError if a value does not fit its field ------------------------------

[[nodiscard]] Instruction make_no_op();
/// `count` is the number of vectors, 1 or more; the field holds count - 1.
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
/// `count` is the number of samples, 1 or more.
[[nodiscard]] Instruction make_dais(const InstructionLayout& layout, unsigned block, Operand local,
                                    Operand accumulator, std::uint64_t count,
                                    bool accumulate = false);
/// Loads a whole table.
[[nodiscard]] Instruction make_load_lut(const InstructionLayout& layout, Operand local,
                                        std::uint64_t table);
/// The four vectors of parameters.
[[nodiscard]] Instruction make_load_activation(const InstructionLayout& layout, Operand local);
[[nodiscard]] Instruction make_configure(const InstructionLayout& layout, ConfigRegister reg,
                                         std::uint32_t value);

/// Strict check of one instruction against the depths of the architecture: every address, and every
/// last address of a strided run, lies inside its memory; sizes fit; selectors name registers that
/// exist; opcode and kind are defined. Returns an empty string, or what is wrong and what is
/// allowed (without location).
[[nodiscard]] std::string check(const Architecture& architecture, const InstructionLayout& layout,
                                const Instruction& instruction);

struct ProgramProblem {
  std::size_t instruction;
  std::string what;
};

/// check() of every whole instruction, as far as the first that is wrong.
[[nodiscard]] std::optional<ProgramProblem> check_program(const Architecture& architecture,
                                                          const InstructionLayout& layout,
                                                          const std::vector<std::uint8_t>& bytes);

}  // namespace tactus::tcu
