#include "isa/tcu/layout.h"

#include <algorithm>

#include "isa/support/error.h"
#include "isa/tcu/names.h"

namespace tactus::tcu {
namespace {

/// Limits an operand to 64 bits, the width of the words that hold it. Only depths near 2^62 with
/// many stride codes exceed that.
unsigned operand_width(unsigned operand, unsigned bits) {
  if (bits > 64) {
    user_error(
        "operand {} of an instruction needs {} bits for this architecture; allowed at most 64: "
        "reduce the memory depths, the stride depths or simd_registers_depth",
        operand, bits);
  }
  return (bits + 7) / 8 * 8;
}

}  // namespace

unsigned address_bits(std::uint64_t depth) {
  unsigned bits = 0;
  for (std::uint64_t highest = depth == 0 ? 0 : depth - 1; highest != 0; highest >>= 1) ++bits;
  return bits;
}

InstructionLayout::InstructionLayout(const Architecture& architecture)
    : local_address(address_bits(architecture.local_depth)),
      accumulator_address(address_bits(architecture.accumulator_depth)),
      dram0_address(address_bits(architecture.dram0_depth)),
      dram1_address(address_bits(architecture.dram1_depth)),
      stride0(address_bits(architecture.stride0_depth)),
      stride1(address_bits(architecture.stride1_depth)),
      simd_selector(address_bits(std::uint64_t{architecture.simd_registers_depth} + 1)),
      lookup_table_count(architecture.lookup_tables.count),
      simd_op(address_bits(simd_ops_of(architecture))),
      simd(simd_op + 3 * simd_selector),
      operand0_address(std::max(local_address, accumulator_address)),
      operand0(operand_width(0, operand0_address + stride0)),
      operand1_address(std::max({operand0_address, dram0_address, dram1_address})),
      operand1(operand_width(1, operand1_address + stride1)),
      operand2_payload(std::max({std::min(local_address, accumulator_address),
                                 std::min(local_address, dram0_address),
                                 std::min(local_address, dram1_address), simd})),
      operand2(operand_width(2, operand2_payload)),
      dais_block_count(static_cast<unsigned>(architecture.dais_blocks.size())),
      activation_unit(architecture.activation_unit) {}

}  // namespace tactus::tcu
