// Layout of a block of C and its operands in registers, and the loads that fetch the operands.
#pragma once

#include <vector>

#include "firmware/gemm/dpas/blocking.h"

namespace tactus::gemm {

/// Largest number of tiles of a block in each direction: coordinates have one lane for each tile.
inline constexpr unsigned most_tiles = 8;
/// Largest height of a 2D block message, in rows (published).
inline constexpr unsigned most_block_rows = 32;
/// Largest row of a 2D block message, all its blocks together, in bytes (published).
inline constexpr unsigned most_row_bytes = 64;

/// Sizes of the operands of one instruction.
struct OperandShape {
  unsigned a_row_bytes = 0;      ///< bytes of a row of src2: 32, 16 or 8
  unsigned b_rows = 0;           ///< rows of B in memory per step of K
  unsigned b_element_bytes = 0;  ///< element size of loads of B
  unsigned b_registers = 0;      ///< registers of src1: 8, 4 or 2
  bool b_transform = false;      ///< true: the load interleaves B
  unsigned b_most_blocks = 1;    ///< largest number of tile columns that a load of B fetches
};
[[nodiscard]] OperandShape operand_shape(const DpasTask& task, const dpas::Profile& profile);

/// A load of A. It fetches tile rows first .. first + tiles - 1 for all steps of K of an iteration,
/// one block of the message for each step.
struct ALoad {
  unsigned first = 0, tiles = 0, rows = 0;
  unsigned grf = 0;        ///< first register, counted from the start of the set of operands
  unsigned step_grfs = 0;  ///< registers from one step to the next
};
/// A load of B. It fetches tile columns first .. first + tiles - 1 for all steps of an iteration.
struct BLoad {
  unsigned first = 0, tiles = 0;
  unsigned grf = 0;
};

/// Tiles and loads of one kind of block. All blocks are of one kind, except those at the borders.
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
  unsigned edge_rows = 0;          ///< rows of the lowest blocks; 0: as many as the others have
  unsigned edge_n_tiles = 0;       ///< tile columns of the rightmost blocks; 0: as many as others
  std::uint64_t steps = 0;         ///< steps of K

  [[nodiscard]] std::uint64_t blocks() const { return m_blocks * n_blocks; }
};
[[nodiscard]] Grid grid_of(const DpasTask& task, const dpas::Profile& profile,
                           const Blocking& blocking);

}  // namespace tactus::gemm
