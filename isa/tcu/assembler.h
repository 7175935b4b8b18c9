// Program text to instructions. This comment is the reference of the text form.
//
// One instruction or directive a line; `#`, `;` and `//` start a comment. Names ignore case.
// Numbers: decimal, 0x hexadecimal, 0b binary, with `_` between digits.
// Expressions: + - * / % << >> unary - ( ), 64-bit signed, overflow is an error; << and >> bind
// loosest, as in C. Names stand for .equ values, repeat counters and the predefined ARRAY_SIZE,
// DRAM0_DEPTH, DRAM1_DEPTH, LOCAL_DEPTH, ACCUMULATOR_DEPTH and SIMD_REGISTERS, and for the numbers
// of the architecture's DAIS blocks.
//
//   NoOp
//   MatMul Local(100)@2 -> Acc(5), 32        32 vectors; @2: every second vector of local memory
//   MatMul.acc Local(100) -> Acc(5)@4, 32    adds to the accumulators; modifiers may be combined
//   MatMul.zeroes Acc(5), 32                 multiplies zero vectors, so Acc = bias
//   DataMove DRAM0(256)@4 -> Local(16), 9    from source to destination. Between Local and one of
//   DataMove Local(16) -> Acc(3), 9          DRAM0, DRAM1 and Acc, in both directions
//   DataMove.acc Local(16) -> Acc(3), 9      adds to the accumulators
//   LoadWeights Local(16), 9
//   LoadWeights.zeroes 9
//   SIMD O = Max(I, R1), read Acc(3), write Acc(7), accumulate
//                                            parts after the operation are optional, in any order
//   Dais Local(8)@2 -> Block(0) -> Acc(5), 4  4 samples through DAIS block 0, see dais_block.h;
//   only Dais.acc Local(8) -> Block(mlp) -> Acc(5), 4     where the architecture names blocks
//   LoadLUT Local(8)@2 -> Table(0)            a whole table, see lookup.h; only where the
//   SIMD R1 = Lookup(I), read Acc(3)          architecture has lookup tables
//   LoadActivation Local(8)@2                 four vectors, see activation.h; only where the
//   DataMove.act Acc(5) -> Local(8), 4        architecture has an activation unit
//   Configure Timeout = 0x64                 Dram0Offset, Dram0Cache, Dram1Offset, Dram1Cache,
//                                            Timeout, Tracepoint, ProgramCounter, SampleInterval,
//                                            or a number 0..15; 28-bit value
//   Raw 0x0123                               the whole instruction, header first
//   .equ BASE 4 * ARRAY_SIZE                 may be set again further down
//   .repeat 4 i                              body with i = 0, 1, 2, 3; the counter is optional
//   .end
//
// Every number is an expression, except that of Raw. A step after `@` is a number, a name or an
// expression in parentheses, and a power of two; without it the step is 1. Counts are numbers of
// vectors, those of Dais numbers of samples; 1 or more.
// SIMD: the destination is O (output) or R1, R2, ...; sources are I (input) or registers. NoOp and
// Zero are written with no sources, Move, Not, Increment, Decrement and Abs with one, the others
// with two. One source stands for both source fields: hardware asks for an input vector if either
// of them is I, even if the operation does not use it; Not(R1, I) spells that case out.
// SIMD NoOp takes neither read nor write: hardware gives them another meaning. Use Raw to try.
//
// Source: hardware spec section 3.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "isa/tcu/architecture.h"
#include "isa/tcu/instruction.h"

namespace tactus::tcu {

enum class AssemblerChecks {
  encoding,  ///< values fit their fields
  strict,    ///< and check() accepts every instruction not given as Raw
};

/// Directives inside each other, and statements that .repeat may expand to.
inline constexpr unsigned max_repeat_nesting = 16;
inline constexpr std::uint64_t max_repeated_statements = std::uint64_t{1} << 24;

/// Throws UserError with one line "source_name:line:column: what; allowed ..." per error, at most
/// 20 of them.
[[nodiscard]] std::vector<Instruction> assemble(const Architecture& architecture,
                                                std::string_view text,
                                                const std::string& source_name,
                                                AssemblerChecks checks = AssemblerChecks::encoding);

/// The same as the bytes of a .tprog file.
[[nodiscard]] std::vector<std::uint8_t> assemble_bytes(
    const Architecture& architecture, std::string_view text, const std::string& source_name,
    AssemblerChecks checks = AssemblerChecks::encoding);

}  // namespace tactus::tcu
