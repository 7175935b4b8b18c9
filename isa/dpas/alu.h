// Semantics of MOV, ADD and CMP on a thread's registers.
//
// Conversions are those of vISA. Float to integer truncates and saturates (NaN gives 0). Integer to
// float and wider to narrower floats round to nearest even. Integer to narrower integer keeps the
// lower bits or, with .sat, saturates (0..1 for floats). Integer sums are modulo the destination's
// width.
#pragma once

#include <cstdint>

#include "isa/dpas/instruction.h"

namespace tactus::dpas {

/// Executes mov, add or cmp. `registers` are the bytes of the register file; `predicates[i]` holds
/// the bits of predicate id i + 1, channel 0 in bit 0. All sources are read before the destination
/// is written. Channels that the predicate disables are not written.
void execute_alu(const Instruction& instruction, std::uint8_t* registers,
                 std::uint32_t* predicates);

/// Channels that execute, those of the predicate or all; bit 0 is the instruction's first channel.
[[nodiscard]] std::uint32_t enabled_channels(const Instruction& instruction,
                                             const std::uint32_t* predicates);

/// True if a jmp is taken.
[[nodiscard]] bool jump_taken(const Instruction& instruction, const std::uint32_t* predicates);

/// Value of a one-element operand, such as the coordinates of a 2D block. Integers are
/// sign-extended to 64 bits.
[[nodiscard]] std::int64_t scalar_value(const Operand& operand, const std::uint8_t* registers);

}  // namespace tactus::dpas
