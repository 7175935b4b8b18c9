// Converts rows of a 2D block in memory to registers, and back.
//
// In registers each block starts at a register. Without transform, row y of a block is at y *
// pitch, where pitch is the width rounded up to a power of two, in elements; bytes between width
// and pitch and up to the register's end are zero. The transform (VNNI) interleaves 4 /
// element_bytes rows: element (y, x) is element y mod n of dword (y / n) * pitch + x, which is the
// layout of a DPAS's src1. Transposed blocks have x and y exchanged. Source: the vISA page
// LSC_UNTYPED (published).
#pragma once

#include <cstddef>
#include <cstdint>

#include "isa/dpas/instruction.h"

namespace tactus::dpas {

/// Bytes of all blocks in registers, a multiple of grf_bytes.
[[nodiscard]] std::size_t register_bytes(const Block2d& block, unsigned grf_bytes);
/// Bytes of one row of one block in memory.
[[nodiscard]] inline std::size_t row_bytes(const Block2d& block) {
  return std::size_t{block.width} * block.element_bytes;
}

/// Copies one row from memory (row 0..height-1 of block 0..blocks-1) to registers. `memory` has
/// row_bytes() bytes; `registers` has register_bytes() and is zero before the first row.
void place_row(const Block2d& block, unsigned grf_bytes, unsigned which_block, unsigned row,
               const std::uint8_t* memory, std::uint8_t* registers);
/// Does the same for all rows of one block, which are consecutive in `memory`; faster than
/// place_row().
void place_block(const Block2d& block, unsigned grf_bytes, unsigned which_block,
                 const std::uint8_t* memory, std::uint8_t* registers);
/// The inverse of place_row(), for stores.
void take_row(const Block2d& block, unsigned grf_bytes, unsigned which_block, unsigned row,
              const std::uint8_t* registers, std::uint8_t* memory);
/// Does the same for all rows of one block, which are consecutive in `memory`.
void take_block(const Block2d& block, unsigned grf_bytes, unsigned which_block,
                const std::uint8_t* registers, std::uint8_t* memory);

}  // namespace tactus::dpas
