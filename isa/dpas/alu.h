// What MOV, ADD and CMP compute on a thread's registers.
//
// Conversions of vISA: float to integer truncates and saturates (NaN is 0), integer to float and
// wider to narrower floats round to nearest even, integer to narrower integer keeps the lower bits,
// or saturates with .sat (0..1 for floats). Sums of integers are modulo the destination's width.
#pragma once

#include <cstdint>

#include "isa/dpas/instruction.h"

namespace tactus::dpas {

/// Executes mov, add or cmp. `registers` are the bytes of the register file; `predicates[i]` are
/// the bits of predicate id i + 1, channel 0 in bit 0. All sources are read before the destination
/// is written; channels that the predicate leaves out are not written.
void execute_alu(const Instruction& instruction, std::uint8_t* registers,
                 std::uint32_t* predicates);

/// Channels that execute, bit 0 the instruction's first: all, or those of its predicate.
[[nodiscard]] std::uint32_t enabled_channels(const Instruction& instruction,
                                             const std::uint32_t* predicates);

/// Whether a jmp is taken.
[[nodiscard]] bool jump_taken(const Instruction& instruction, const std::uint32_t* predicates);

/// The value of an operand of one element, such as the coordinates of a 2D block: integers
/// extended to 64 bits by their sign.
[[nodiscard]] std::int64_t scalar_value(const Operand& operand, const std::uint8_t* registers);

}  // namespace tactus::dpas
