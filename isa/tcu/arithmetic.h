// Fixed-point arithmetic of the datapath: scalar definitions and vector kernels.
//
// Every multiply-accumulate rounds half to even and saturates to the width of the data type; no
// operation passes a wider result to the next. Source: hardware spec sections 7.2, 8.3 and 9.
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/tcu/architecture.h"
#include "isa/tcu/instruction.h"

namespace tactus::tcu {

/// Rounding of a multiply-accumulate.
enum class MacRounding : std::uint8_t {
  sum,     ///< RTL from 2022-03-18 on: the exact sum x*y + z is rounded, then saturated
  legacy,  ///< RTL before: the product is rounded and saturated, then z is added with saturation
};

// ---- scalars: the definition; operands and result are mantissas within the type's range ---------

[[nodiscard]] std::int64_t mac(DataType type, MacRounding rounding, std::int64_t x, std::int64_t y,
                               std::int64_t z);
[[nodiscard]] std::int64_t saturating_add(DataType type, std::int64_t a, std::int64_t b);
/// One lane of the SIMD ALU. `no_op` returns `left`; the caller sets it to the input.
[[nodiscard]] std::int64_t alu(DataType type, SimdOp op, std::int64_t left, std::int64_t right);

/// Converts float to mantissa: times 2^point in float32, floor(x + 0.5), saturated (toolchain spec
/// 1.4).
[[nodiscard]] std::int64_t quantise(DataType type, float value);
[[nodiscard]] double to_real(DataType type, std::int64_t mantissa);
/// The nearest mantissa, ties to even, saturated. Used for results of DAIS blocks. Precondition:
/// not NaN.
[[nodiscard]] std::int64_t round_half_even(DataType type, double value);

// ---- vectors of lanes
// ----------------------------------------------------------------------------

/// Kernels of one data type on packed lanes: int8_t for FP8BP4, int16_t for FP16BP8, int32_t (sign
/// extended) for the two wider types; a lane has info(type).storage_bytes bytes. Pointers must be
/// aligned to a lane. Outputs must not overlap inputs except where stated. `n` counts lanes.
struct VectorKernels {
  /// out = bias, then for j = 0..n-1 in order: out[i] = mac(x[j], column_j[i], out[i]). `weights`
  /// holds n+1 vectors of n lanes: the bias, then column 0 to column n-1.
  void (*mac_chain)(const void* weights, const void* x, void* out, std::size_t n);
  /// Does mac_chain for each of `count` vectors, faster than one by one. Output vector i, at i * n
  /// lanes, is the chain for x[i], or the bias if x[i] is null (a vector of zeroes).
  void (*mac_chains)(const void* weights, const std::uint8_t* const* x, void* out, std::size_t n,
                     std::size_t count);
  /// out[i] = saturating_add(a[i], b[i]); out may be a or b.
  void (*add)(const void* a, const void* b, void* out, std::size_t n);
  /// out[i] = alu(op, left[i], right[i]); out may be left or right.
  void (*alu)(SimdOp op, const void* left, const void* right, void* out, std::size_t n);
  /// Converts lanes to little-endian DRAM bytes (FP18BP10: zero-extended to 4 bytes) and back (the
  /// low 18 bits are sign-extended). Lanes of the other types are copied.
  void (*to_bytes)(const void* lanes, std::uint8_t* bytes, std::size_t n);
  void (*from_bytes)(const std::uint8_t* bytes, void* lanes, std::size_t n);
};

[[nodiscard]] const VectorKernels& vector_kernels(DataType type,
                                                  MacRounding rounding = MacRounding::sum);

/// Mantissa of lane i of a packed vector; and the inverse, without a range check.
[[nodiscard]] std::int64_t lane(DataType type, const void* lanes, std::size_t i);
void set_lane(DataType type, void* lanes, std::size_t i, std::int64_t mantissa);

}  // namespace tactus::tcu
