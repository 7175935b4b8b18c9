#include "isa/dpas/instruction.h"

namespace tactus::dpas {

std::string_view name(Opcode opcode) {
  switch (opcode) {
    case Opcode::add:
      return "add";
    case Opcode::dpasw:
      return "dpasw";
    case Opcode::mov:
      return "mov";
    case Opcode::cmp:
      return "cmp";
    case Opcode::label:
      return "label";
    case Opcode::jmp:
      return "jmp";
    case Opcode::ret:
      return "ret";
    case Opcode::barrier:
      return "barrier";
    case Opcode::dpas:
      return "dpas";
    case Opcode::lsc_untyped:
      return "lsc_untyped";
    case Opcode::lsc_fence:
      return "lsc_fence";
    case Opcode::bdpas:
      return "bdpas";
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
  // Rows of src2 are as far apart as those of SD = 8, whatever SD is.
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

}  // namespace tactus::dpas
