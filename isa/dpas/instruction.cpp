#include "isa/dpas/instruction.h"

#include <algorithm>

#include "isa/dpas/block2d.h"

namespace tactus::dpas {

std::string_view name(Opcode opcode) {
  constexpr std::pair<Opcode, std::string_view> names[] = {{Opcode::add, "add"},
                                                           {Opcode::dpasw, "dpasw"},
                                                           {Opcode::mov, "mov"},
                                                           {Opcode::cmp, "cmp"},
                                                           {Opcode::label, "label"},
                                                           {Opcode::jmp, "jmp"},
                                                           {Opcode::ret, "ret"},
                                                           {Opcode::barrier, "barrier"},
                                                           {Opcode::dpas, "dpas"},
                                                           {Opcode::lsc_untyped, "lsc_untyped"},
                                                           {Opcode::lsc_fence, "lsc_fence"},
                                                           {Opcode::bdpas, "bdpas"}};
  for (const auto& [code, text] : names) {
    if (code == opcode) return text;
  }
  return {};
}

DpasShape shape_of(Precision w, Precision a, Type dst, Type src0, unsigned channels,
                   unsigned systolic_depth, unsigned repeat_count, unsigned src2_rows) {
  DpasShape shape;
  shape.channels = channels;
  shape.rows = repeat_count;
  shape.ops = ops_per_channel(w, a);
  shape.k = systolic_depth * shape.ops;
  shape.dst_bytes = repeat_count * channels * info(dst).bytes;
  shape.src0_bytes = repeat_count * channels * info(src0).bytes;
  // Rows of src2 are as far apart as for SD = 8, whatever SD is.
  const unsigned row_bytes = info(a).bits * shape.ops;
  shape.src1_bytes = (info(w).bits * shape.k + 31) / 32 * 4 * channels;
  shape.src2_bytes = row_bytes * (src2_rows - 1) + info(a).bits * shape.k / 8;
  return shape;
}

DpasShape shape_of(const Instruction& i) {
  const unsigned src2_rows =
      i.opcode == Opcode::dpasw ? (i.repeat_count + 1U) / 2U : i.repeat_count;
  return shape_of(i.w, i.a, i.dst.type, i.source[0].present() ? i.source[0].type : i.dst.type,
                  i.execution_size, i.systolic_depth, i.repeat_count, src2_rows);
}

std::uint32_t lsc_data_offset(const LscMessage& message, unsigned execution_size,
                              unsigned grf_bytes, unsigned channel, unsigned element) {
  const unsigned bytes = message.element_bytes();
  if (message.transposed) return element * bytes;
  const unsigned registers = (execution_size * bytes + grf_bytes - 1) / grf_bytes;
  return element * registers * grf_bytes + channel * bytes;
}

namespace {

std::uint32_t dpas_operand_bytes(const Instruction& i, const Operand& operand) {
  if (ops_per_channel(i.w, i.a) == 0) return 0;
  const DpasShape shape = shape_of(i);
  if (&operand == &i.dst) return shape.dst_bytes;
  if (&operand == &i.source[0]) return shape.src0_bytes;
  if (&operand == &i.source[1]) return shape.src1_bytes;
  if (&operand == &i.source[2]) return shape.src2_bytes;
  // Scales of a bdpas: one byte per column (source 3) or row (source 4) and block of 32 along K.
  const std::uint32_t blocks = shape.k / 32;
  const std::uint32_t first = &operand == &i.source[3] ? shape.channels : shape.rows;
  return blocks == 2 ? 32 + first : first;
}

std::uint32_t message_operand_bytes(const Instruction& i, const Operand& operand,
                                    unsigned grf_bytes) {
  const LscMessage& m = i.lsc;
  if (m.is_block2d()) {
    if (operand.kind == Operand::Kind::general) return info(operand.type).bytes;
    return static_cast<std::uint32_t>(register_bytes(m.block, grf_bytes));
  }
  if (&operand == &i.source[0]) return i.execution_size * m.address_bytes();
  return lsc_data_offset(m, i.execution_size, grf_bytes, i.execution_size - 1U,
                         m.vector_size - 1U) +
         m.element_bytes();
}

std::uint32_t region_bytes(const Instruction& i, const Operand& operand) {
  const Region& region = operand.region;
  unsigned last = 0;
  if (&operand == &i.dst) {
    last = (i.execution_size - 1U) * region.horizontal;
  } else if (region.width != 0) {  // 0 is refused later
    const unsigned width = std::min<unsigned>(region.width, i.execution_size);
    last =
        (i.execution_size - 1U) / region.width * region.vertical + (width - 1) * region.horizontal;
  }
  return (last + 1) * info(operand.type).bytes;
}

}  // namespace

std::uint32_t operand_bytes(const Instruction& i, const Operand& operand, unsigned grf_bytes) {
  if (!operand.in_registers()) return 0;
  if (i.is_dpas()) return dpas_operand_bytes(i, operand);
  if (i.opcode == Opcode::lsc_untyped) return message_operand_bytes(i, operand, grf_bytes);
  return region_bytes(i, operand);
}

}  // namespace tactus::dpas
