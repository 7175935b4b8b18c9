// Cycles of the DPAS array, as functions of a profile.
//
// Published: the latencies of Intel's compiler (igc), 8 cycles from issue to the first read of
// registers, one register of src1 a cycle and row. Ours: the closed form that equals them wherever
// they are no catch-all, and the passes behind it. Source: spec sections 8.1 to 8.3.
//
// An instruction is issued in cycle t:
//   row r of pass p reads its sources in   t + 8 + p * max(RC, Dp) + r
//   row r is written in                    t + L(RC) - (RC - 1) + r
//   sources may be overwritten from        t + 8 + (P - 1) * max(RC, Dp) + RC
//   the last row may be used from          t + L(RC)
#pragma once

#include <cstdint>

#include "isa/dpas/instruction.h"
#include "isa/dpas/profile.h"

namespace tactus::dpas {

/// Cycles from issue to the first read of a source.
inline constexpr unsigned read_delay = 8;

/// L: cycles from issue until the result may be used.
[[nodiscard]] unsigned latency(const Profile& profile, unsigned repeat_count, LatencyModel model);
/// The same for one instruction, whose precisions may have an entry of their own in igc's table.
[[nodiscard]] unsigned latency(const Profile& profile, const Instruction& instruction,
                               LatencyModel model);

/// Cycle after issue in which row `row` of pass `pass` reads its sources.
[[nodiscard]] unsigned row_read(const Profile& profile, unsigned repeat_count, unsigned pass,
                                unsigned row);
/// Cycle after issue in which row `row` is written.
[[nodiscard]] unsigned row_written(const Profile& profile, unsigned repeat_count, unsigned row,
                                   LatencyModel model);
/// Cycle after issue from which all sources may be overwritten.
[[nodiscard]] unsigned sources_released(const Profile& profile, unsigned repeat_count);

/// Registers of src1 that an instruction reads: 8, 4 or 2. Loading them takes a cycle each.
[[nodiscard]] unsigned src1_registers(const Profile& profile, const Instruction& instruction);

/// II: cycles that the array is occupied, max(P * RC, Bload), where Bload is 0 if src1 is held
/// already and src1_registers() otherwise (ours).
[[nodiscard]] unsigned occupancy(const Profile& profile, const Instruction& instruction,
                                 bool src1_held);

/// Whether the instruction's src1 may stay in its operand buffer: it reads 8 registers (published).
[[nodiscard]] bool holds_src1(const Profile& profile, const Instruction& instruction);
/// The same for src2: the profile has a buffer, RC is 8 (published).
[[nodiscard]] bool holds_src2(const Profile& profile, const Instruction& instruction);

/// Whether `next` may join the macro of the `count` instructions from `first` on, operands
/// resolved: same opcode, types, mask and shape, SD = 8, no result of a member read, no overlap
/// inside an instruction but dst = src0, no other src1 below RC = 8 where the profile forbids it,
/// and a src1 or src2 that its operand buffer holds (published conditions of spec 8.3; how many
/// groups a buffer tells apart is our reading of its size).
[[nodiscard]] bool joins_macro(const Profile& profile, const Instruction* first, unsigned count,
                               const Instruction& next);

/// MAC of one array in a cycle at most: ES * Dp * OPS.
[[nodiscard]] unsigned peak_macs(const Profile& profile, unsigned ops);

}  // namespace tactus::dpas
