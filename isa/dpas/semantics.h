// Result of a DPAS: D = C + A x B on the bytes of registers.
//
// Integers are exact modulo 2^32. Floats follow Numerics. The rounding inside a stage of real
// hardware is not public, so no mode claims to give its bits (spec section 4.2). Any NaN result is
// 0x7FC00000 (BF 0x7FC0, HF 0x7E00).
#pragma once

#include <cstdint>

#include "isa/dpas/instruction.h"

namespace tactus::dpas {

/// Order and rounding of the sums of float products.
enum class FloatMode : std::uint8_t {
  seq,    ///< k ascending, a float is rounded after each product and each sum (ours; equals
          ///< Intel's CM emulator)
  dot,    ///< a stage's products are summed exactly, one rounding a stage (ours)
  exact,  ///< one rounding at the end (ours)
};

struct Numerics {
  FloatMode float_mode = FloatMode::seq;
  bool ftz_in = false;        ///< denormal elements of A, B and C count as zero with their sign
  bool ftz_out = false;       ///< denormal results become zero, also in intermediate rounding
  bool tf32_truncate = true;  ///< the lower 13 bits of a tf32 element are ignored
};

/// All settings on which the result of an instruction depends.
struct DpasConfig {
  Precision w = Precision::s8;
  Precision a = Precision::s8;
  Type dst_type = Type::d;
  Type src0_type = Type::d;
  bool src0_null = false;
  std::uint8_t execution_size = 16;
  std::uint8_t systolic_depth = 8;
  std::uint8_t repeat_count = 8;
  Numerics numerics;
};

[[nodiscard]] DpasConfig config_of(const Instruction& instruction, const Numerics& numerics = {});
[[nodiscard]] DpasShape shape_of(const DpasConfig& config);

/// Computes one instruction. Operands are packed as in registers, with the sizes of shape_of().
/// src0 is not read if config.src0_null. dst may overlap any source, since all sources are read
/// before dst is written.
using DpasFunction = void (*)(const DpasConfig& config, std::uint8_t* dst, const std::uint8_t* src0,
                              const std::uint8_t* src1, const std::uint8_t* src2);

/// The triple loop that defines the result.
void dpas_reference(const DpasConfig& config, std::uint8_t* dst, const std::uint8_t* src0,
                    const std::uint8_t* src1, const std::uint8_t* src2);

/// Returns the fastest function for this configuration and processor; choose it once per
/// instruction of the program, not once per execution. Its bits are those of dpas_reference().
/// Precondition: the instruction is legal on some machine: execution size 8 or 16, RC 1..8, SD 1,
/// 2, 4 or 8, precisions of one class.
[[nodiscard]] DpasFunction select_dpas(const DpasConfig& config);

/// Chooses the function and calls it; for occasional use.
void dpas(const DpasConfig& config, std::uint8_t* dst, const std::uint8_t* src0,
          const std::uint8_t* src1, const std::uint8_t* src2);

// ---- element formats ------------------------------------------------------------------------

/// Converts exactly. Precondition: a float precision or type.
[[nodiscard]] float to_float(Precision precision, std::uint32_t bits);
[[nodiscard]] float bf_to_float(std::uint16_t bits);
[[nodiscard]] float hf_to_float(std::uint16_t bits);
/// Round to nearest, ties to even.
[[nodiscard]] std::uint16_t float_to_bf(float value);
[[nodiscard]] std::uint16_t float_to_hf(float value);

}  // namespace tactus::dpas
