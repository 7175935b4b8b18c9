// Field widths of an instruction, derived from the architecture.
//
// From the most significant bit on: header (opcode 4, flags 4) | operand2 | operand1 | operand0.
// Bytes are stored little-endian, so the header is the last byte. Source: hardware spec section
// 3.1, toolchain spec section 2.
#pragma once

#include <cstdint>

#include "isa/tcu/architecture.h"

namespace tactus::tcu {

/// Bits needed for the values 0..depth-1: 1 -> 0, 2 -> 1, 20480 -> 15.
[[nodiscard]] unsigned address_bits(std::uint64_t depth);

/// All members are bit counts unless the name says otherwise.
struct InstructionLayout {
  /// Throws UserError if an operand would need more than 64 bits.
  explicit InstructionLayout(const Architecture& architecture);

  unsigned local_address;        ///< lw
  unsigned accumulator_address;  ///< aw
  unsigned dram0_address;        ///< d0w
  unsigned dram1_address;        ///< d1w
  unsigned stride0;              ///< s0w
  unsigned stride1;              ///< s1w
  unsigned simd_selector;        ///< left, right and dest of a SIMD sub-instruction, each
  unsigned lookup_table_count;   ///< 0: opcode 0x5 and SIMD Lookup have no meaning
  unsigned simd_op;              ///< 4, or 5 with lookup tables
  unsigned simd;                 ///< simd_op + 3 * simd_selector

  unsigned operand0_address;  ///< the stride code is directly above
  unsigned operand0;          ///< the whole field, a multiple of 8, at most 64
  unsigned operand1_address;
  unsigned operand1;
  unsigned operand2_payload;
  unsigned operand2;
  unsigned header = 8;  ///< the same for 1 and 2 threads

  unsigned dais_block_count;  ///< 0: opcode 0x6 has no meaning
  bool activation_unit;       ///< opcode 0x7 and DataMove kind 0xE have a meaning

  [[nodiscard]] unsigned instruction_bits() const {
    return operand0 + operand1 + operand2 + header;
  }
  [[nodiscard]] unsigned instruction_bytes() const { return instruction_bits() / 8; }
};

}  // namespace tactus::tcu
