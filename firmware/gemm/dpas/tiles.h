// A block of C in registers: which loads bring its operands, and where they land.
#pragma once

#include <vector>

#include "firmware/gemm/dpas/blocking.h"

namespace tactus::gemm {

inline constexpr unsigned most_tiles = 8;        ///< of a block, each way: lanes of the coordinates
inline constexpr unsigned most_block_rows = 32;  ///< of a 2D block message (published)
inline constexpr unsigned most_row_bytes = 64;   ///< of its rows, all blocks together (published)

/// Numbers of the operands of one instruction.
struct OperandShape {
  unsigned a_row_bytes = 0;      ///< a row of src2: 32, 16 or 8
  unsigned b_rows = 0;           ///< rows of B in memory that a step of K needs
  unsigned b_element_bytes = 0;  ///< of the loads of B
  unsigned b_registers = 0;      ///< of src1: 8, 4 or 2
  bool b_transform = false;      ///< the load interleaves
  unsigned b_most_blocks = 1;    ///< columns of tiles that one load brings
};
[[nodiscard]] OperandShape operand_shape(const DpasTask& task, const dpas::Profile& profile);

/// One load of A: rows of tiles first .. first + tiles - 1, all steps of K side by side.
struct ALoad {
  unsigned first = 0, tiles = 0, rows = 0;
  unsigned grf = 0;        ///< of the set of operands, where it begins
  unsigned step_grfs = 0;  ///< from a step to the next
};
/// One load of B: columns of tiles first .. first + tiles - 1.
struct BLoad {
  unsigned first = 0, tiles = 0;
  unsigned grf = 0;
};

/// One kind of block: all of them are the same but those at the borders.
struct BlockPlan {
  unsigned m_tiles = 0, n_tiles = 0;
  unsigned last_rows = 0;  ///< RC of the last row of tiles
  std::vector<ALoad> a;
  std::vector<BLoad> b;
  unsigned a_registers = 0, b_registers = 0;  ///< of one set of operands

  [[nodiscard]] unsigned rows_of(unsigned tile, const Blocking& blocking) const {
    return tile + 1 == m_tiles ? last_rows : blocking.rows;
  }
};
/// A block of `rows` rows and `n_tiles` columns of tiles.
[[nodiscard]] BlockPlan block_plan(const DpasTask& task, const dpas::Profile& profile,
                                   const Blocking& blocking, unsigned rows, unsigned n_tiles);

/// How the blocks cover C.
struct Grid {
  std::uint64_t m_blocks = 0, n_blocks = 0;
  unsigned rows = 0, n_tiles = 0;  ///< of a block
  unsigned edge_rows = 0;          ///< of the lowest blocks; 0: they are like the others
  unsigned edge_n_tiles = 0;       ///< of the rightmost ones; 0: they are like the others
  std::uint64_t steps = 0;         ///< of K

  [[nodiscard]] std::uint64_t blocks() const { return m_blocks * n_blocks; }
};
[[nodiscard]] Grid grid_of(const DpasTask& task, const dpas::Profile& profile,
                           const Blocking& blocking);

}  // namespace tactus::gemm
