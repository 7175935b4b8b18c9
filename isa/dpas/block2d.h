// How rows of a 2D block in memory become registers, and back.
//
// In registers each block starts at a register. Without transform, row y of a block is at
// y * pitch, pitch = width rounded up to a power of two, in elements; bytes up to it and up to the
// register's end are zero. The transform (VNNI) interleaves 4 / element_bytes rows: element (y, x)
// is element y mod n of dword (y / n) * pitch + x, exactly what src1 of a DPAS is. Transposed
// blocks have x and y exchanged. Source: the vISA page LSC_UNTYPED (published).
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

/// Where the row of memory (row 0..height-1 of block 0..blocks-1) goes: `memory` is row_bytes()
/// long, `registers` register_bytes() and zero before the first row.
void place_row(const Block2d& block, unsigned grf_bytes, unsigned which_block, unsigned row,
               const std::uint8_t* memory, std::uint8_t* registers);
/// place_row() of all rows of one block, which follow each other in `memory`; faster.
void place_block(const Block2d& block, unsigned grf_bytes, unsigned which_block,
                 const std::uint8_t* memory, std::uint8_t* registers);
/// The inverse of place_row(), for stores.
void take_row(const Block2d& block, unsigned grf_bytes, unsigned which_block, unsigned row,
              const std::uint8_t* registers, std::uint8_t* memory);
/// take_row() of all rows of one block, likewise.
void take_block(const Block2d& block, unsigned grf_bytes, unsigned which_block,
                const std::uint8_t* registers, std::uint8_t* memory);

}  // namespace tactus::dpas
