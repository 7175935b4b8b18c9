#include "isa/dpas/timing.h"

#include <algorithm>

namespace tactus::dpas {
namespace {

/// Cycles from the last stage of the array to the write of a row. With read_delay they make up the
/// overhead of 13 in the closed form.
unsigned rows_in_flight(const Profile& profile, unsigned repeat_count) {
  return (profile.passes() - 1) * std::max(repeat_count, profile.array_depth);
}

constexpr unsigned src1_group_registers = 8;
constexpr unsigned src2_group_registers = 4;

bool same_source(const Operand& a, const Operand& b) {
  return a.kind == b.kind && a.address == b.address && a.bytes == b.bytes;
}

bool reads(const Instruction& instruction, const Operand& written) {
  for (unsigned i = 0; i < 3; ++i) {
    if (overlap(instruction.source[i], written)) return true;
  }
  return false;
}

/// True if no operands of the instruction overlap, except dst and src0, which may be the same.
bool apart(const Instruction& instruction) {
  const Operand& dst = instruction.dst;
  return !overlap(dst, instruction.source[1]) && !overlap(dst, instruction.source[2]) &&
         (!overlap(dst, instruction.source[0]) || same_source(dst, instruction.source[0]));
}

bool same_form(const Instruction& a, const Instruction& b) {
  return a.opcode == b.opcode && a.execution_size == b.execution_size && a.w == b.w && a.a == b.a &&
         a.systolic_depth == b.systolic_depth && a.repeat_count == b.repeat_count &&
         a.dst.type == b.dst.type && a.source[0].kind == b.source[0].kind &&
         a.source[0].type == b.source[0].type && a.mask.code == b.mask.code &&
         a.predicate.variable == b.predicate.variable;
}

}  // namespace

unsigned latency(const Profile& profile, unsigned repeat_count, LatencyModel model) {
  if (model == LatencyModel::igc) return profile.igc_latency[repeat_count - 1];
  return profile.overhead + rows_in_flight(profile, repeat_count) + (repeat_count - 1) +
         profile.array_depth;
}

unsigned latency(const Profile& profile, const Instruction& instruction, LatencyModel model) {
  if (model == LatencyModel::igc && profile.igc_latency_fp8 != 0 && instruction.repeat_count == 8 &&
      info(instruction.w).kind == PrecisionClass::fp8) {
    return profile.igc_latency_fp8;
  }
  return latency(profile, instruction.repeat_count, model);
}

unsigned row_read(const Profile& profile, unsigned repeat_count, unsigned pass, unsigned row) {
  return read_delay + pass * std::max(repeat_count, profile.array_depth) + row;
}

unsigned row_written(const Profile& profile, unsigned repeat_count, unsigned row,
                     LatencyModel model) {
  return latency(profile, repeat_count, model) - (repeat_count - 1) + row;
}

unsigned sources_released(const Profile& profile, unsigned repeat_count) {
  return read_delay + rows_in_flight(profile, repeat_count) + repeat_count;
}

unsigned src1_registers(const Profile& profile, const Instruction& instruction) {
  const unsigned bytes = shape_of(instruction).src1_bytes;
  return (bytes + profile.grf_bytes - 1) / profile.grf_bytes;
}

unsigned occupancy(const Profile& profile, const Instruction& instruction, bool src1_held) {
  const unsigned rows = profile.passes() * instruction.repeat_count;
  return src1_held ? rows : std::max(rows, src1_registers(profile, instruction));
}

bool holds_src1(const Profile& profile, const Instruction& instruction) {
  return profile.src1_buffer_bytes >= src1_group_registers * profile.grf_bytes &&
         src1_registers(profile, instruction) == src1_group_registers;
}

bool holds_src2(const Profile& profile, const Instruction& instruction) {
  return profile.src2_buffer_bytes >= src2_group_registers * profile.grf_bytes &&
         instruction.repeat_count == 8;
}

bool joins_macro(const Profile& profile, const Instruction* first, unsigned count,
                 const Instruction& next) {
  const Instruction& previous = first[count - 1];
  if (!next.is_dpas() || !same_form(previous, next) || next.systolic_depth != 8) return false;
  if (!apart(previous) || !apart(next)) return false;
  for (unsigned i = 0; i < count; ++i) {
    if (reads(next, first[i].dst)) return false;
  }
  const bool same_src1 = same_source(previous.source[1], next.source[1]);
  const bool same_src2 = same_source(previous.source[2], next.source[2]);
  if (!same_src1 && next.repeat_count != 8 && !profile.macro_src1_below_rc8) return false;
  // A buffer of several groups still holds sources from before the previous instruction.
  const bool src1_again =
      holds_src1(profile, next) &&
      (same_src1 || profile.src1_buffer_bytes >= 2 * src1_group_registers * profile.grf_bytes);
  const bool src2_again =
      holds_src2(profile, next) &&
      (same_src2 || profile.src2_buffer_bytes >= 2 * src2_group_registers * profile.grf_bytes);
  return src1_again || src2_again;
}

unsigned peak_macs(const Profile& profile, unsigned ops) {
  return profile.execution_size * profile.array_depth * ops;
}

}  // namespace tactus::dpas
