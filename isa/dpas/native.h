// The native form of a DPAS: 128 bits, with registers instead of variables.
//
//   dpas.8x4 (16|M0) r10:f r20:f r30:bf r50.0:bf {Atomic,$3}
//
// Not compacted. The fields are published (Mesa's brw_eu_inst.h) and equal to those that iga64
// writes for DG2 and PVC. Tactus's own choices: sub-registers count bytes if a register has 32
// bytes and words if it has 64; bf8, hf8 and e2m1 have no published code and none here.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "isa/dpas/instruction.h"
#include "isa/dpas/profile.h"

namespace tactus::dpas {

struct NativeOperand {
  bool null = false;
  std::uint8_t grf = 0;
  std::uint8_t byte = 0;  ///< within the register

  bool operator==(const NativeOperand& o) const {
    return null == o.null && grf == o.grf && byte == o.byte;
  }
};

struct NativeDpas {
  Opcode opcode = Opcode::dpas;  ///< dpas or dpasw
  std::uint8_t execution_size = 16;
  std::uint8_t systolic_depth = 8;
  std::uint8_t repeat_count = 8;
  bool write_all = false;  ///< (W), as for the masks of _NM
  bool atomic = false;
  bool saturate = false;  ///< bit 34; programs with it are refused when read
  Precision w = Precision::s8;
  Precision a = Precision::s8;
  Type dst_type = Type::d;
  Type src0_type = Type::d;
  NativeOperand dst, src0, src1, src2;
  std::uint16_t swsb = 0;  ///< raw field, see swsb_text
};

using NativeBits = std::array<std::uint8_t, 16>;

/// Native encoding of a family of parts, which depends on the bytes of a register, 32 or 64.
struct NativeForm {
  unsigned grf_bytes = 64;
};

/// Precondition: precisions and types have a code, see can_encode().
[[nodiscard]] NativeBits encode_native(const NativeDpas& dpas, const NativeForm& form);
[[nodiscard]] bool can_encode(const NativeDpas& dpas);
/// Throws UserError "where: what" for other opcodes and for codes without a meaning.
[[nodiscard]] NativeDpas decode_native(const NativeBits& bits, const NativeForm& form,
                                       const std::string& where);

[[nodiscard]] std::string native_text(const NativeDpas& dpas, const NativeForm& form);
/// Throws UserError "where:column: what".
[[nodiscard]] NativeDpas parse_native(std::string_view line, const NativeForm& form,
                                      const std::string& where);

/// Converts a resolved dpas or dpasw. Throws UserError if the native form cannot express it: more
/// than one token, a mask other than M1, a precision without a code.
[[nodiscard]] NativeDpas to_native(const Profile& profile, const Instruction& instruction,
                                   const std::string& where);

}  // namespace tactus::dpas
