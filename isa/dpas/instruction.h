// A decoded vISA instruction of Tactus's subset.
//
// The subset: DPAS, DPASW, BDPAS (decoded only); MOV, ADD, CMP; LSC_UNTYPED load, store,
// load_block2d, store_block2d; LSC_FENCE, BARRIER; JMP, LABEL, RET. CMP and predicates serve loops.
// Opcodes and fields: spec section 7 and the vISA pages it names (published).
#pragma once

#include <cstdint>
#include <string_view>

#include "isa/dpas/precision.h"

namespace tactus::dpas {

enum class Opcode : std::uint8_t {
  add = 0x01,
  dpasw = 0x1C,
  mov = 0x29,
  cmp = 0x2C,
  label = 0x31,
  jmp = 0x32,
  ret = 0x34,
  barrier = 0x59,
  dpas = 0x83,
  lsc_untyped = 0x89,
  lsc_fence = 0x8B,
  bdpas = 0x99,
};

/// "dpas", "mov", ...; empty for codes outside the subset.
[[nodiscard]] std::string_view name(Opcode opcode);

inline constexpr std::uint32_t null_variable = 0;
/// Smaller ids are those of predefined variables.
inline constexpr std::uint32_t first_user_variable = 32;

/// Source modifiers, as the codes in bits 5..3 of an operand's tag.
enum class Modifier : std::uint8_t { none = 0, abs = 1, negate = 2, negate_abs = 3 };

/// Region <vertical; width, horizontal> in elements. Element i of a source is at (i / width) *
/// vertical + (i % width) * horizontal. A destination has only `horizontal`.
struct Region {
  std::uint8_t vertical = 0;
  std::uint8_t width = 1;
  std::uint8_t horizontal = 0;

  bool operator==(const Region& o) const {
    return vertical == o.vertical && width == o.width && horizontal == o.horizontal;
  }
};

struct Operand {
  enum class Kind : std::uint8_t {
    none,       ///< the instruction has no such operand
    null,       ///< %null
    raw,        ///< NAME.offset: variable, byte offset
    general,    ///< NAME(row,column)<region>: elements of a variable
    immediate,  ///< a constant
    predicate,  ///< destination of CMP
  };
  Kind kind = Kind::none;
  Type type = Type::ud;  ///< type of the declared variable or of the constant
  Modifier modifier = Modifier::none;
  Region region;
  std::uint8_t row = 0;         ///< general: row offset, registers
  std::uint8_t column = 0;      ///< general: column offset, elements
  std::uint32_t variable = 0;   ///< id of the variable or predicate
  std::uint32_t offset = 0;     ///< raw: offset, bytes
  std::uint64_t immediate = 0;  ///< bits of a constant, zero above the type's width

  // ---- filled in by resolve() of program.h ----
  std::uint32_t address = 0;  ///< first byte in the thread's register file
  std::uint32_t bytes = 0;    ///< from the first to the last byte touched; 0: none

  [[nodiscard]] bool present() const { return kind != Kind::none && kind != Kind::null; }
  [[nodiscard]] bool in_registers() const { return kind == Kind::raw || kind == Kind::general; }
};

/// True if two resolved operands share a byte of the register file.
[[nodiscard]] inline bool overlap(const Operand& a, const Operand& b) {
  return a.bytes != 0 && b.bytes != 0 && a.address < b.address + b.bytes &&
         b.address < a.address + a.bytes;
}

/// Codes 0..7 are M1..M8; codes 8..15 are M1_NM..M8_NM, which ignore control flow.
struct ExecutionMask {
  std::uint8_t code = 0;

  [[nodiscard]] unsigned first_channel() const { return (code & 7U) * 4U; }
  [[nodiscard]] bool no_mask() const { return (code & 8U) != 0; }
};

struct PredicateControl {
  enum class Combine : std::uint8_t { none, any, all };
  std::uint16_t variable = 0;  ///< id, from 1; 0: the instruction is not predicated
  bool inverse = false;
  Combine combine = Combine::none;
};

enum class Comparison : std::uint8_t { eq, ne, gt, ge, lt, le };

enum class LscOperation : std::uint8_t {
  load = 0x00,
  load_block2d = 0x03,
  store = 0x04,
  store_block2d = 0x07,
};
enum class LscUnit : std::uint8_t { ugm = 0, ugml = 1, tgm = 2, slm = 3 };
enum class LscDataSize : std::uint8_t { d8 = 1, d16 = 2, d32 = 3, d64 = 4 };
enum class LscAddressSize : std::uint8_t { a16 = 1, a32 = 2, a64 = 3 };
enum class FenceOperation : std::uint8_t { none, evict, invalidate, discard, clean, flushl3 };
enum class FenceScope : std::uint8_t { group, local, tile, gpu, gpus, system, sysacq };

/// A 2D block in registers and memory; see block2d.h.
struct Block2d {
  std::uint8_t element_bytes = 1;
  std::uint8_t blocks = 1;   ///< side by side in memory
  std::uint16_t width = 1;   ///< elements
  std::uint16_t height = 1;  ///< rows
  bool transpose = false;
  bool transform = false;  ///< VNNI: 4 / element_bytes rows are interleaved into dwords
};

/// Fields of a message to the load/store unit.
struct LscMessage {
  LscOperation operation = LscOperation::load;
  LscUnit unit = LscUnit::ugm;
  std::uint8_t l1_caching = 0;  ///< codes of the vISA page; 0: default
  std::uint8_t l3_caching = 0;
  LscDataSize data_size = LscDataSize::d32;
  LscAddressSize address_size = LscAddressSize::a64;
  bool transposed = false;       ///< load, store: one address, whose elements are consecutive
  std::uint8_t vector_size = 1;  ///< load, store: elements per address; 1, 2, 3, 4, 8, .. 64
  std::uint16_t address_scale = 1;
  std::int32_t address_offset = 0;
  Block2d block;  ///< block2d only

  [[nodiscard]] bool is_load() const {
    return operation == LscOperation::load || operation == LscOperation::load_block2d;
  }
  [[nodiscard]] bool is_block2d() const {
    return operation == LscOperation::load_block2d || operation == LscOperation::store_block2d;
  }
  [[nodiscard]] unsigned address_bytes() const { return 1U << static_cast<unsigned>(address_size); }
  [[nodiscard]] unsigned element_bytes() const {
    return 1U << (static_cast<unsigned>(data_size) - 1U);
  }
};

/// The annotations in braces behind an instruction, e.g. {Atomic,$3,$1.dst,$2.src}. Tokens are
/// numbered 0..31.
struct Annotations {
  static constexpr std::uint8_t no_token = 0xFF;

  bool atomic = false;           ///< joined with the next DPAS into a macro
  std::uint8_t sets = no_token;  ///< $n: token that this instruction sets
  /// bit n: $n.dst, waits until the results of token n are written
  std::uint32_t waits_written = 0;
  std::uint32_t waits_read = 0;  ///< bit n: $n.src, waits until the sources of token n are read

  [[nodiscard]] bool any() const {
    return atomic || sets != no_token || waits_written != 0 || waits_read != 0;
  }
  bool operator==(const Annotations& o) const {
    return atomic == o.atomic && sets == o.sets && waits_written == o.waits_written &&
           waits_read == o.waits_read;
  }
};

/// Operands by opcode:
///   dpas, dpasw   dst; source[0..2] = src0 (C), src1 (B), src2 (A)
///   bdpas         and source[3], source[4], the scales of B and A
///   mov           dst; source[0]
///   add           dst; source[0], source[1]
///   cmp           dst, a predicate or registers; source[0], source[1]
///   lsc load      dst; source[0] the addresses, raw
///   lsc store     source[0] the addresses, source[1] the data, raw
///   load_block2d  dst; source[0..5] base, width-1, height-1, pitch-1 in bytes and rows, x, y
///   store_block2d source[0..5] as above, source[6] the data, raw
struct Instruction {
  static constexpr unsigned most_sources = 7;

  Opcode opcode = Opcode::ret;
  std::uint8_t execution_size = 1;
  ExecutionMask mask;
  bool saturate = false;
  PredicateControl predicate;
  Comparison comparison = Comparison::eq;

  Precision w = Precision::s8;  ///< format of src1
  Precision a = Precision::s8;  ///< format of src2
  std::uint8_t systolic_depth = 8;
  std::uint8_t repeat_count = 1;

  LscMessage lsc;
  FenceOperation fence = FenceOperation::none;
  FenceScope scope = FenceScope::group;

  std::uint32_t label = 0;   ///< jmp, label: index of the label
  std::uint32_t target = 0;  ///< jmp: index of the instruction; filled in by resolve()

  Operand dst;
  Operand source[most_sources];
  Annotations annotations;

  [[nodiscard]] bool is_dpas() const {
    return opcode == Opcode::dpas || opcode == Opcode::dpasw || opcode == Opcode::bdpas;
  }
};

/// Byte, in the data registers of a load or store, of element `element` of channel `channel`.
/// Without transposition each element of the vector starts at a new register and channels are
/// consecutive; with transposition the elements of the only channel are consecutive.
[[nodiscard]] std::uint32_t lsc_data_offset(const LscMessage& message, unsigned execution_size,
                                            unsigned grf_bytes, unsigned channel, unsigned element);

/// Register bytes that an operand reads or writes, counted from its first byte. Depends on the
/// instruction, not on the size of the variable. 0 for constants and absent operands.
[[nodiscard]] std::uint32_t operand_bytes(const Instruction& instruction, const Operand& operand,
                                          unsigned grf_bytes);

/// Sizes of a DPAS that follow from its fields. Bytes are those of spec section 3.
struct DpasShape {
  unsigned channels = 0;  ///< N
  unsigned rows = 0;      ///< RC
  unsigned ops = 0;       ///< OPS
  unsigned k = 0;         ///< SD * OPS
  unsigned dst_bytes = 0;
  unsigned src0_bytes = 0;
  unsigned src1_bytes = 0;
  unsigned src2_bytes = 0;

  [[nodiscard]] std::uint64_t macs() const { return std::uint64_t{rows} * channels * k; }
};

/// Sizes from the single fields; `src2_rows` rows of src2 are read. Precondition:
/// ops_per_channel(w, a) is not 0.
[[nodiscard]] DpasShape shape_of(Precision w, Precision a, Type dst, Type src0, unsigned channels,
                                 unsigned systolic_depth, unsigned repeat_count,
                                 unsigned src2_rows);
/// Sizes of a dpas, or of one half of a dpasw, which reads ceil(RC / 2) rows of src2. Precondition:
/// ops_per_channel(w, a) is not 0.
[[nodiscard]] DpasShape shape_of(const Instruction& instruction);

}  // namespace tactus::dpas
