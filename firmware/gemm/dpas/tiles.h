// Layout of a block of C and its operands in registers, and the loads that fetch the operands.
#pragma once

#include <vector>

#include "firmware/gemm/dpas/blocking.h"

namespace tactus::gemm {

/// of a block in each direction, the number of coordinate lanes
inline constexpr unsigned most_tiles = 8;
/// largest height of a 2D block message (published)
inline constexpr unsigned most_block_rows = 32;
/// largest row of a 2D block message, all blocks together (published)
inline constexpr unsigned most_row_bytes = 64;

/// Sizes of the operands of one instruction.
struct OperandShape {
  unsigned a_row_bytes = 0;      ///< bytes of a row of src2: 32, 16 or 8
  unsigned b_rows = 0;           ///< rows of B in memory per step of K
  unsigned b_element_bytes = 0;  ///< element size of loads of B
  unsigned b_registers = 0;      ///< registers of src1: 8, 4 or 2
  bool b_transform = false;      ///< the load interleaves
  unsigned b_most_blocks = 1;    ///< tile columns per load at most
};
[[nodiscard]] OperandShape operand_shape(const DpasTask& task, const dpas::Profile& profile);

/// A load of A: tile rows first .. first + tiles - 1, all steps of K side by side.
struct ALoad {
  unsigned first = 0, tiles = 0, rows = 0;
  unsigned grf = 0;        ///< first register, counted from the start of the set of operands
  unsigned step_grfs = 0;  ///< registers from one step to the next
};
/// A load of B: tile columns first .. first + tiles - 1.
struct BLoad {
  unsigned first = 0, tiles = 0;
  unsigned grf = 0;
};

/// A kind of block. All blocks are of one kind, except those at the borders.
struct BlockPlan {
  unsigned m_tiles = 0, n_tiles = 0;
  unsigned last_rows = 0;  ///< RC of the last tile row
  std::vector<ALoad> a;
  std::vector<BLoad> b;
  unsigned a_registers = 0, b_registers = 0;  ///< registers of one set of operands

  [[nodiscard]] unsigned rows_of(unsigned tile, const Blocking& blocking) const {
    return tile + 1 == m_tiles ? last_rows : blocking.rows;
  }
};
/// Plan of a block with `rows` rows and `n_tiles` tile columns.
[[nodiscard]] BlockPlan block_plan(const DpasTask& task, const dpas::Profile& profile,
                                   const Blocking& blocking, unsigned rows, unsigned n_tiles);

/// Distribution of the blocks over C.
struct Grid {
  std::uint64_t m_blocks = 0, n_blocks = 0;
  unsigned rows = 0, n_tiles = 0;  ///< size of a block
  unsigned edge_rows = 0;          ///< rows of the lowest blocks; 0: like the others
  unsigned edge_n_tiles = 0;       ///< tile columns of the rightmost blocks; 0: like the others
  std::uint64_t steps = 0;         ///< steps of K

  [[nodiscard]] std::uint64_t blocks() const { return m_blocks * n_blocks; }
};
[[nodiscard]] Grid grid_of(const DpasTask& task, const dpas::Profile& profile,
                           const Blocking& blocking);

}  // namespace tactus::gemm
