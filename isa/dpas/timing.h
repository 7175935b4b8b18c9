// Timing of the DPAS array in cycles, as functions of a profile.
//
// Published: the latencies of Intel's compiler (igc), 8 cycles from issue to the first read of
// registers, one register of src1 per cycle and row. Tactus's own: the closed form, which equals
// these latencies except where they are catch-all values, and the passes behind it. Source: spec
// sections 8.1 to 8.3.
//
// An instruction is issued in cycle t:
//   row r of pass p reads its sources in   t + 8 + p * max(RC, Dp) + r
//   row r is written in                    t + L(RC) - (RC - 1) + r
//   sources may be overwritten from        t + 8 + (P - 1) * max(RC, Dp) + RC
//   the last row may be used from          t + L(RC)
#pragma once

#include "isa/dpas/instruction.h"
#include "isa/dpas/profile.h"

namespace tactus::dpas {

/// Cycles from issue to the first read of a source.
inline constexpr unsigned read_delay = 8;

/// L: cycles from issue until the result may be used.
[[nodiscard]] unsigned latency(const Profile& profile, unsigned repeat_count, LatencyModel model);
/// L of an instruction. igc's table may have a separate entry for its precisions.
[[nodiscard]] unsigned latency(const Profile& profile, const Instruction& instruction,
                               LatencyModel model);

/// Cycles after issue at which row `row` of pass `pass` reads its sources.
[[nodiscard]] unsigned row_read(const Profile& profile, unsigned repeat_count, unsigned pass,
                                unsigned row);
/// Cycles after issue at which row `row` is written.
[[nodiscard]] unsigned row_written(const Profile& profile, unsigned repeat_count, unsigned row,
                                   LatencyModel model);
/// Cycles after issue from which all sources may be overwritten.
[[nodiscard]] unsigned sources_released(const Profile& profile, unsigned repeat_count);

/// Registers of src1 that an instruction reads: 8, 4 or 2. Loading takes one cycle per register.
[[nodiscard]] unsigned src1_registers(const Profile& profile, const Instruction& instruction);

/// II: cycles for which an instruction occupies the array, max(P * RC, Bload). Bload is 0 if src1
/// is in its operand buffer already, else src1_registers() (Tactus's own rule).
[[nodiscard]] unsigned occupancy(const Profile& profile, const Instruction& instruction,
                                 bool src1_held);

/// True if the instruction's src1 may stay in its operand buffer, i.e. it reads 8 registers
/// (published).
[[nodiscard]] bool holds_src1(const Profile& profile, const Instruction& instruction);
/// True if the instruction's src2 may stay in its operand buffer: the profile has a buffer, and RC
/// is 8 (published).
[[nodiscard]] bool holds_src2(const Profile& profile, const Instruction& instruction);

/// True if `next` may join the macro of the `count` instructions from `first` on. Operands are
/// resolved. Conditions:
/// - the same opcode, types, mask and shape, and SD = 8;
/// - `next` reads no result of a member;
/// - no operands of one instruction overlap, except that dst may be src0;
/// - below RC = 8 src1 is the same if the profile demands it;
/// - src1 or src2 is in its operand buffer.
/// The conditions are published (spec section 8.3); how many groups a buffer holds is Tactus's
/// reading of its size.
[[nodiscard]] bool joins_macro(const Profile& profile, const Instruction* first, unsigned count,
                               const Instruction& next);

/// Largest number of MACs of one array in a cycle: ES * Dp * OPS.
[[nodiscard]] unsigned peak_macs(const Profile& profile, unsigned ops);

}  // namespace tactus::dpas
