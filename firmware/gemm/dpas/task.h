// A matrix product on a machine with a DPAS array, and the layout of its matrices in memory.
//
// A is stored row by row, as src2 needs it. B is stored row by row and interleaved by the load
// (VNNI), or stored interleaved: row j of dwords holds rows j * e .. j * e + e - 1 of B, where a
// dword has e elements. A load cannot interleave elements of less than 8 bits, so they are always
// stored interleaved. C is stored row by row, 4 bytes per element. Rows start at multiples of 64
// bytes, as 2D block messages require.
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
  /// Layout that B has: b_layout for elements of 8 or 16 bits; `vnni` for all others, which a load
  /// cannot interleave or which need no interleaving (32 bits).
  [[nodiscard]] BLayout layout_of_b() const;
};

/// A matrix in memory, as 2D block messages describe it.
struct Surface {
  std::uint32_t width = 0;   ///< bytes of a row's elements, rounded up to whole dwords
  std::uint32_t height = 0;  ///< rows
  std::uint32_t pitch = 0;   ///< bytes from one row to the next

  [[nodiscard]] std::uint64_t bytes() const { return std::uint64_t{pitch} * height; }
};

struct DpasLayout {
  Surface a, b, c;
  [[nodiscard]] std::uint64_t bytes() const { return a.bytes() + b.bytes() + c.bytes(); }
};

/// Sizes of the three matrices in memory. Throws UserError if together they exceed 4 GiB.
[[nodiscard]] DpasLayout layout_of(const DpasTask& task);

/// Precisions of B (w) and A (a), as --precision gives them: one precision for both, or "W.A" with
/// that of B first. Names of other tools, such as int8 or bf16, are allowed too.
struct PrecisionPair {
  dpas::Precision w, a;
};
/// Throws UserError "WHERE: ...".
[[nodiscard]] PrecisionPair parse_precision(const std::string& text, const std::string& where);

/// The operands as stored in memory.
struct DpasOperands {
  std::vector<std::uint8_t> a, b;  ///< bytes of the surfaces
};

/// Draws random operands from a seed, the same on every host. Integers have any value of their
/// range, bf, hf and tf32 values within -1..1, narrower floats any finite value. Elements beyond
/// the matrix are zero.
[[nodiscard]] DpasOperands make_operands(const DpasTask& task, const DpasLayout& layout,
                                         std::uint64_t seed);

/// Result of a plain triple loop with k ascending: M x N elements as bits. Integers are modulo
/// 2^32; floats are rounded after each product and each sum.
[[nodiscard]] std::vector<std::uint32_t> expected_product(const DpasTask& task, std::uint64_t seed);

}  // namespace tactus::gemm
