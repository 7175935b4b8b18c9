// A matrix product on a machine with a DPAS array, and the layout of its matrices in memory.
//
// A is stored row by row, as src2 needs it. B is stored row by row and interleaved by the load
// (VNNI), or stored interleaved: row j of dwords holds rows j * e .. j * e + e - 1 of B, e elements
// per dword. Elements below 8 bits cannot be interleaved by a load, so they are always stored
// interleaved. C is stored row by row, 4 bytes per element. Rows start at multiples of 64 bytes, as
// 2D block messages require.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "firmware/gemm/problem.h"
#include "isa/dpas/precision.h"

namespace tactus::gemm {

/// Layout of B in memory.
enum class BLayout : std::uint8_t {
  rows,  ///< row by row; the load interleaves
  vnni,  ///< stored interleaved
};

struct DpasTask {
  Problem problem;
  dpas::Precision w = dpas::Precision::s8;  ///< format of B
  dpas::Precision a = dpas::Precision::s8;  ///< format of A
  BLayout b_layout = BLayout::rows;

  /// Elements of K per instruction: 8 * OPS.
  [[nodiscard]] unsigned k_step() const;
  [[nodiscard]] bool is_integer() const { return dpas::is_integer(w); }
  /// Layout used for B: `vnni` for elements of less than 8 bits or of 32 bits.
  [[nodiscard]] BLayout layout_of_b() const;
};

/// A matrix in memory, as 2D block messages describe it.
struct Surface {
  std::uint32_t width = 0;   ///< bytes of elements per row, rounded up to whole dwords
  std::uint32_t height = 0;  ///< rows
  std::uint32_t pitch = 0;   ///< bytes from one row to the next

  [[nodiscard]] std::uint64_t bytes() const { return std::uint64_t{pitch} * height; }
};

struct DpasLayout {
  Surface a, b, c;
  [[nodiscard]] std::uint64_t bytes() const { return a.bytes() + b.bytes() + c.bytes(); }
};

/// Throws UserError if the matrices exceed the memory of 4 GiB.
[[nodiscard]] DpasLayout layout_of(const DpasTask& task);

/// Value of --precision for DPAS: one precision for both sides, or "W.A" with B's first; also int8,
/// uint8, int4, int2, bf16, fp16 and the like. Throws UserError "WHERE: ...".
struct PrecisionPair {
  dpas::Precision w, a;
};
[[nodiscard]] PrecisionPair parse_precision(const std::string& text, const std::string& where);

/// The operands as stored in memory.
struct DpasOperands {
  std::vector<std::uint8_t> a, b;  ///< bytes of the surfaces
};

/// Random operands from a seed, the same on every host: integers over their whole range; bf, hf and
/// tf32 within -1..1; narrower floats any finite value. Elements beyond a row's end are zero.
[[nodiscard]] DpasOperands make_operands(const DpasTask& task, const DpasLayout& layout,
                                         std::uint64_t seed);

/// Result of a plain triple loop, M x N, as element bits: integers modulo 2^32; floats rounded
/// after each product and each sum; k ascending.
[[nodiscard]] std::vector<std::uint32_t> expected_product(const DpasTask& task, std::uint64_t seed);

}  // namespace tactus::gemm
