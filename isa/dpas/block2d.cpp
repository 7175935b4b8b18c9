#include "isa/dpas/block2d.h"

#include <cstring>

namespace tactus::dpas {
namespace {

unsigned round_up_power(unsigned value) {
  unsigned power = 1;
  while (power < value) power *= 2;
  return power;
}

/// How elements lie in registers; all in elements.
struct Layout {
  unsigned row_pitch;
  unsigned block_pitch;
  unsigned
      interleaved;  ///< elements of a dword that come from different rows (or columns); 1: none
};

Layout layout(const Block2d& block, unsigned grf_bytes) {
  Layout result{};
  result.interleaved = block.transform ? 4U / block.element_bytes : 1U;
  result.row_pitch = round_up_power(block.transpose ? block.height : block.width);
  unsigned rows = block.transpose ? block.width : block.height;
  rows = (rows + result.interleaved - 1) / result.interleaved * result.interleaved;
  const unsigned in_register = grf_bytes / block.element_bytes;
  const unsigned elements = result.row_pitch * rows;
  result.block_pitch = (elements + in_register - 1) / in_register * in_register;
  return result;
}

/// Calls move(element of the row, byte in the registers) for a whole row.
template <class Move>
void for_row(const Block2d& block, unsigned grf_bytes, unsigned which_block, unsigned row,
             Move move) {
  const Layout at = layout(block, grf_bytes);
  for (unsigned x = 0; x < block.width; ++x) {
    const unsigned line = block.transpose ? x : row;
    const unsigned place = block.transpose ? row : x;
    const unsigned element = which_block * at.block_pitch +
                             line / at.interleaved * at.interleaved * at.row_pitch +
                             place * at.interleaved + line % at.interleaved;
    move(x, std::size_t{element} * block.element_bytes);
  }
}

/// Dword x of `to` gets element x of each of the rows, the first lowest. `rows` of them, `size`
/// bytes an element, follow each other in memory.
template <unsigned rows, unsigned size>
void interleave(const std::uint8_t* memory, unsigned width, std::uint8_t* to) {
  for (unsigned x = 0; x < width; ++x) {
    std::uint32_t dword = 0;
    for (unsigned r = 0; r < rows; ++r) {
      const std::uint8_t* from = memory + (std::size_t{r} * width + x) * size;
      const std::uint32_t element = size == 1 ? from[0] : from[0] | std::uint32_t{from[1]} << 8U;
      dword |= element << (8U * size * r);
    }
    std::memcpy(to + std::size_t{x} * 4, &dword, 4);
  }
}

bool is_plain(const Block2d& block) { return !block.transpose && !block.transform; }

}  // namespace

std::size_t register_bytes(const Block2d& block, unsigned grf_bytes) {
  return std::size_t{layout(block, grf_bytes).block_pitch} * block.blocks * block.element_bytes;
}

void place_row(const Block2d& block, unsigned grf_bytes, unsigned which_block, unsigned row,
               const std::uint8_t* memory, std::uint8_t* registers) {
  const unsigned bytes = block.element_bytes;
  if (is_plain(block)) {
    const Layout at = layout(block, grf_bytes);
    const std::size_t first =
        std::size_t{which_block * at.block_pitch + row * at.row_pitch} * bytes;
    std::memcpy(registers + first, memory, row_bytes(block));
    return;
  }
  for_row(block, grf_bytes, which_block, row, [&](unsigned x, std::size_t at) {
    std::memcpy(registers + at, memory + std::size_t{x} * bytes, bytes);
  });
}

void place_block(const Block2d& block, unsigned grf_bytes, unsigned which_block,
                 const std::uint8_t* memory, std::uint8_t* registers) {
  unsigned row = 0;
  if (block.transform && !block.transpose && block.element_bytes < 4) {
    // All dwords that are filled by as many rows as they hold elements.
    const Layout at = layout(block, grf_bytes);
    std::uint8_t* to = registers + std::size_t{which_block} * at.block_pitch * block.element_bytes;
    for (; row + at.interleaved <= block.height; row += at.interleaved) {
      const std::uint8_t* from = memory + row * row_bytes(block);
      if (block.element_bytes == 1) {
        interleave<4, 1>(from, block.width, to);
      } else {
        interleave<2, 2>(from, block.width, to);
      }
      to += std::size_t{at.row_pitch} * 4;
    }
  }
  for (; row < block.height; ++row) {
    place_row(block, grf_bytes, which_block, row, memory + row * row_bytes(block), registers);
  }
}

void take_row(const Block2d& block, unsigned grf_bytes, unsigned which_block, unsigned row,
              const std::uint8_t* registers, std::uint8_t* memory) {
  const unsigned bytes = block.element_bytes;
  for_row(block, grf_bytes, which_block, row, [&](unsigned x, std::size_t at) {
    std::memcpy(memory + std::size_t{x} * bytes, registers + at, bytes);
  });
}

}  // namespace tactus::dpas
