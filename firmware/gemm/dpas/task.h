// A matrix product on a machine with a DPAS array, and how its matrices lie in memory.
//
// A lies row by row, as src2 wants it. B lies row by row too and is interleaved by the load (VNNI),
// or it lies interleaved already: row j of dwords holds rows j * e .. j * e + e - 1 of B, e
// elements in a dword. Elements below 8 bits cannot be interleaved by a load and lie so always. C
// is row by row, 4 bytes an element. Rows begin at multiples of 64 bytes, as 2D block messages want
// them.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "firmware/gemm/problem.h"
#include "isa/dpas/precision.h"

namespace tactus::gemm {

/// How B lies in memory.
enum class BLayout : std::uint8_t {
  rows,  ///< row by row; the load interleaves
  vnni,  ///< interleaved
};

struct DpasTask {
  Problem problem;
  dpas::Precision w = dpas::Precision::s8;  ///< of B
  dpas::Precision a = dpas::Precision::s8;  ///< of A
  BLayout b_layout = BLayout::rows;

  /// Elements of K that an instruction multiplies: 8 * OPS.
  [[nodiscard]] unsigned k_step() const;
  [[nodiscard]] bool is_integer() const { return dpas::is_integer(w); }
  /// The layout that B has: `vnni` where its elements have less than 8 bits, or 32.
  [[nodiscard]] BLayout layout_of_b() const;
};

/// A matrix in memory as the messages see it.
struct Surface {
  std::uint32_t width = 0;   ///< bytes of a row that hold elements, rounded up to whole dwords
  std::uint32_t height = 0;  ///< rows
  std::uint32_t pitch = 0;   ///< bytes from a row to the next

  [[nodiscard]] std::uint64_t bytes() const { return std::uint64_t{pitch} * height; }
};

struct DpasLayout {
  Surface a, b, c;
  [[nodiscard]] std::uint64_t bytes() const { return a.bytes() + b.bytes() + c.bytes(); }
};

/// Throws UserError if the matrices need more than the memory's 4 GiB.
[[nodiscard]] DpasLayout layout_of(const DpasTask& task);

/// What --precision says of a DPAS: one precision for both, or "W.A", B's first; also int8, uint8,
/// int4, int2, bf16, fp16 and the like. Throws UserError "WHERE: ...".
struct PrecisionPair {
  dpas::Precision w, a;
};
[[nodiscard]] PrecisionPair parse_precision(const std::string& text, const std::string& where);

/// The operands as they lie in memory.
struct DpasOperands {
  std::vector<std::uint8_t> a, b;  ///< of the surfaces
};

/// Random elements from a seed, the same on every host: integers over their whole range, bf, hf and
/// tf32 within -1..1, narrower floats whatever is finite. Elements beyond a row's end are zero.
[[nodiscard]] DpasOperands make_operands(const DpasTask& task, const DpasLayout& layout,
                                         std::uint64_t seed);

/// What a plain triple loop makes of them, M x N, the bits of the elements: integers modulo 2^32,
/// floats with a rounding after each product and each sum, k ascending.
[[nodiscard]] std::vector<std::uint32_t> expected_product(const DpasTask& task, std::uint64_t seed);

}  // namespace tactus::gemm
