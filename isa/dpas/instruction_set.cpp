#include "isa/dpas/instruction_set.h"

#include <string>

#include <fmt/format.h>

namespace tactus::dpas {
namespace {

constexpr std::string_view alu_cycles =
    "10, 11 or 13 (up to 8, 16, 32 channels) to the result: alu_latency of the machine";
constexpr std::string_view load_cycles =
    "8 until it leaves (send_latency), then the memory's latency and a cycle a beat; the data may "
    "be used when its last byte has come";
constexpr std::string_view store_cycles =
    "8 and a cycle a register of data, then a cycle a beat; its sources may be overwritten when "
    "they are read";

}  // namespace

const std::vector<InstructionInfo>& instruction_set() {
  static const std::vector<InstructionInfo> all = {
      {Opcode::dpas, "dpas",
       "dpas.W.A.SD.RC (MASK, N) DST.BYTE SRC0.BYTE SRC1.BYTE SRC2(ROW,COLUMN)",
       "precisions W of src1 and A of src2 (u2 s2 u4 s4 u8 s8 bf hf tf32 bf8 hf8 e2m1), SD = 8 "
       "steps, RC = 1..8 rows; src0 may be %null.0",
       "dst = src0 + src2 x src1: RC rows of N results, K = SD x products of a dword",
       "latency o + (8/Dp - 1) max(RC, Dp) + (RC - 1) + Dp; one starts every max(8/Dp RC, loading "
       "src1)",
       "dpas.s8.s8.8.8 (M1, 16) D.0 %null.0 B.0 A(0,0)"},
      {Opcode::dpasw, "dpasw",
       "dpasw.W.A.SD.RC (MASK, N) DST.BYTE SRC0.BYTE SRC1.BYTE SRC2(ROW,COLUMN)", "as dpas",
       "dpas of two fused units that share src2; on machines with \"dpasw\"", "as dpas",
       "dpasw.s8.s8.8.8 (M1, 8) D.0 D.0 B.0 A(0,0)"},
      {Opcode::bdpas, "bdpas",
       "bdpas.W.A.8.8 (MASK, 16) DST.BYTE SRC0.BYTE SRC1.BYTE SRC2.BYTE SRC3(ROW,COLUMN) "
       "SRC4(ROW,COLUMN)",
       "as dpas, and scales of src1 and src2", "dpas with scales of blocks", "no machine has it",
       "bdpas.bf8.bf8.8.8 (M1, 16) D.0 C.0 B.0 A.0 X(0,0) Y(0,0)"},
      {Opcode::mov, "mov", "mov[.sat] (MASK, N) DST(ROW,COLUMN)<H> SRC(ROW,COLUMN)<V;W,H>",
       "a source is a region of a variable, with (-), (abs) or (-)(abs) before it, or a constant",
       "copies and converts N elements; .sat saturates", alu_cycles,
       "mov (M1, 16) X(0,0)<1> 0x0:d"},
      {Opcode::add, "add", "add[.sat] (MASK, N) DST(ROW,COLUMN)<H> SRC0 SRC1",
       "as mov, two sources", "adds N elements", alu_cycles,
       "add (M1, 16) X(0,0)<1> X(0,0)<1;1,0> 0x1:d"},
      {Opcode::cmp, "cmp", "cmp.CONDITION (MASK, N) PREDICATE SRC0 SRC1",
       "condition eq, ne, gt, ge, lt or le; the destination is a predicate or a variable",
       "compares N elements", "16 until an instruction under the predicate: flag_latency",
       "cmp.lt (M1_NM, 1) P1 X(0,0)<0;1,0> 0x10:d"},
      {Opcode::lsc_untyped, "lsc_load",
       "lsc_load.UNIT[.L1.L3] (MASK, N) DATA:SIZE[xELEMENTS][t] flat[[SCALE*]ADDRESSES[+OFFSET]]:"
       "WIDTH",
       "unit ugm; size d8, d16, d32 or d64; t: one address, its elements in a row; width a16, a32 "
       "or a64",
       "loads from an address a channel", load_cycles,
       "lsc_load.ugm (M1_NM, 1) A:d32x64t flat[PA]:a64"},
      {Opcode::lsc_untyped, "lsc_store",
       "lsc_store.UNIT[.L1.L3] (MASK, N) flat[[SCALE*]ADDRESSES[+OFFSET]]:WIDTH "
       "DATA:SIZE[xELEMENTS][t]",
       "as lsc_load", "stores to an address a channel", store_cycles,
       "lsc_store.ugm (M1_NM, 1) flat[PC]:a64 D:d32x64t"},
      {Opcode::lsc_untyped, "lsc_load_block2d",
       "lsc_load_block2d.UNIT[.L1.L3] (MASK, 1) DATA:SIZE.[BLOCKSx]WIDTHxHEIGHT[TV] "
       "flat[BASE,W-1,H-1,PITCH-1,X,Y]",
       "W and PITCH in bytes, X in elements; the two letters: transposed, and VNNI transform (rows "
       "interleaved to dwords, as src1 wants them), t or n",
       "loads a rectangle of a matrix; what is outside of it is 0", load_cycles,
       "lsc_load_block2d.ugm (M1_NM, 1) B:d8.16x32nt flat[PB,0xF,0x1F,0xF,0x0,0x0]"},
      {Opcode::lsc_untyped, "lsc_store_block2d",
       "lsc_store_block2d.UNIT[.L1.L3] (MASK, 1) flat[BASE,W-1,H-1,PITCH-1,X,Y] "
       "DATA:SIZE.WIDTHxHEIGHT[nn]",
       "as lsc_load_block2d", "stores a rectangle; what is outside of the matrix is left out",
       store_cycles,
       "lsc_store_block2d.ugm (M1_NM, 1) flat[PC,0x3F,0x7,0x3F,0x0,0x0] D:d32.16x8nn"},
      {Opcode::lsc_fence, "lsc_fence", "lsc_fence.UNIT.OPERATION.SCOPE",
       "operation none, evict, invalidate, discard, clean or flushl3; scope group, local, tile, "
       "gpu, gpus, system or sysacq",
       "waits for the thread's loads and stores", "35 when they are complete: fence_latency",
       "lsc_fence.ugm.none.group"},
      {Opcode::barrier, "barrier", "barrier", "", "waits for all threads",
       "30 after the last has come: barrier_latency", "barrier"},
      {Opcode::jmp, "jmp", "[([!]PREDICATE)] jmp (MASK, N) LABEL", "a label is a line NAME:",
       "goes on behind the label", "23, taken or not: branch_latency", "(!P1) jmp (M1, 1) LOOP"},
      {Opcode::ret, "ret", "ret (MASK, N)", "", "ends the thread", "when all its results are there",
       "ret (M1, 1)"},
  };
  return all;
}

std::string_view worked_kernel() {
  return R"(.version 3.6
.kernel "tile"
.decl PA v_type=G type=uq num_elts=1 align=GRF
.decl PB v_type=G type=uq num_elts=1 align=GRF
.decl PC v_type=G type=uq num_elts=1 align=GRF
.decl A v_type=G type=ud num_elts=64 align=GRF
.decl B v_type=G type=ud num_elts=128 align=GRF
.decl D v_type=G type=d num_elts=128 align=GRF
.input PA offset=64 size=8
.input PB offset=128 size=8
.input PC offset=192 size=8
lsc_load_block2d.ugm (M1_NM, 1) A:d8.32x8nn flat[PA,0x1F,0x7,0x1F,0x0,0x0]
lsc_load_block2d.ugm (M1_NM, 1) B:d8.16x32nt flat[PB,0xF,0x1F,0xF,0x0,0x0]
dpas.s8.s8.8.8 (M1, 16) D.0 %null.0 B.0 A(0,0)
lsc_store_block2d.ugm (M1_NM, 1) flat[PC,0x3F,0x7,0x3F,0x0,0x0] D:d32.16x8nn
ret (M1, 1)
)";
}

std::vector<ReferenceTable> instruction_tables() {
  ReferenceTable table{
      "vISA: instructions",
      "Cycles run from the issue of an instruction; numbers are those of the machine named pvc, by "
      "keys that `tactus explain dpas` lists. One instruction of one thread is issued in a cycle, "
      "and waits until the registers it reads and writes are free. `label` is the opcode of a "
      "label's line.",
      {"instruction", "opcode", "operands", "effect", "cycles"},
      {},
      ""};
  for (const InstructionInfo& i : instruction_set()) {
    table.rows.push_back({std::string(i.mnemonic),
                          fmt::format("{:#04x}", static_cast<unsigned>(i.opcode)),
                          std::string(i.operands), std::string(i.effect), std::string(i.cycles)});
  }
  table.rows.push_back({"label", fmt::format("{:#04x}", static_cast<unsigned>(Opcode::label)), "",
                        "names the place behind it", "0"});
  return {table};
}

std::vector<ReferenceTable> assembly_tables() {
  ReferenceTable forms{
      "vISA: program text",
      "One instruction or directive a line; `//` and `/* */` are comments. MASK is M1..M8, or "
      "M1_NM..M8_NM to ignore control flow; N is the number of channels. Before an instruction "
      "may stand a predicate, (P1) or (!P1), behind it annotations in braces, "
      "{Atomic,$3,$1.dst,$2.src}: macro, token that is set, tokens waited for; they are Tactus's "
      "own. Constants end in their type, 0x10:d, -1:w, 1.5:f; hexadecimal ones are the bits of a "
      "float.",
      {"instruction", "form", "example"},
      {},
      ""};
  for (const InstructionInfo& i : instruction_set()) {
    forms.rows.push_back({std::string(i.mnemonic), std::string(i.form), std::string(i.example)});
  }
  const ReferenceTable directives{
      "vISA: directives",
      "",
      {"directive", "effect"},
      {{".version 3.6", "version of the container"},
       {".kernel \"NAME\"", "what follows belongs to it; several kernels may follow"},
       {".decl NAME v_type=G type=TYPE num_elts=COUNT [align=GRF] [alias=<NAME,BYTE>]",
        "a variable in registers"},
       {".decl NAME v_type=P num_elts=COUNT", "a predicate"},
       {".input NAME offset=BYTE size=BYTES",
        "where the register file has the variable's argument"},
       {".kernel_attr NAME=VALUE", "a text in quotes, or a number: SimdSize=16"}},
      ""};
  const ReferenceTable kernel{"vISA: a kernel",
                              "D (8x16 dwords) = A (8x32 bytes) x B (32x16 bytes). "
                              "`lsc_load_block2d` with nt brings B into "
                              "the order that dpas wants.",
                              {},
                              {},
                              std::string(worked_kernel())};
  return {forms, directives, kernel};
}

}  // namespace tactus::dpas
