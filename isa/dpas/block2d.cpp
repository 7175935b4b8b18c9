#include "isa/dpas/block2d.h"

#include <cstring>

namespace tactus::dpas {
namespace {

unsigned round_up_power(unsigned value) {
  unsigned power = 1;
  while (power < value) power *= 2;
  return power;
}

/// Layout of elements in registers; all numbers in elements.
struct Layout {
  unsigned row_pitch;
  unsigned block_pitch;
  unsigned
      interleaved;  ///< elements of one dword that come from different rows (or columns); 1: none
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

/// Calls move(element of the row, byte in the registers) for all elements of a row.
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

/// Each of `count` dwords of `to` gets one element from each row, the first row's in the lowest
/// bits; rows are `pitch` bytes apart. Written with copies so that compilers vectorise it.
template <unsigned rows, class Element, unsigned count>
void interleave_some(const std::uint8_t* memory, std::size_t pitch, std::uint8_t* to) {
  Element from[rows][count];
  Element dwords[count * rows];
  for (unsigned r = 0; r < rows; ++r) std::memcpy(from[r], memory + r * pitch, sizeof from[r]);
  for (unsigned x = 0; x < count; ++x) {
    for (unsigned r = 0; r < rows; ++r) dwords[x * rows + r] = from[r][x];
  }
  std::memcpy(to, dwords, sizeof dwords);
}

/// Like interleave_some(), for whole rows that are consecutive in memory.
template <unsigned rows, class Element>
void interleave(const std::uint8_t* memory, unsigned width, std::uint8_t* to) {
  const std::size_t pitch = width * sizeof(Element);
  unsigned x = 0;
  const auto go_on = [&](unsigned count) {
    memory += count * sizeof(Element);
    to += std::size_t{count} * 4;
  };
  for (; x + 16 <= width; x += 16, go_on(16)) interleave_some<rows, Element, 16>(memory, pitch, to);
  for (; x + 8 <= width; x += 8, go_on(8)) interleave_some<rows, Element, 8>(memory, pitch, to);
  for (; x < width; ++x, go_on(1)) interleave_some<rows, Element, 1>(memory, pitch, to);
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
  const Layout at = layout(block, grf_bytes);
  std::uint8_t* to = registers + std::size_t{which_block} * at.block_pitch * block.element_bytes;
  const std::size_t bytes = row_bytes(block);
  unsigned row = 0;
  if (is_plain(block)) {
    if (at.row_pitch == block.width) {
      std::memcpy(to, memory, bytes * block.height);
      return;
    }
    for (; row < block.height; ++row) {
      std::memcpy(to + std::size_t{row} * at.row_pitch * block.element_bytes, memory + row * bytes,
                  bytes);
    }
    return;
  }
  if (block.transform && !block.transpose && block.element_bytes < 4) {
    // Dwords that are filled completely, by as many rows as a dword has elements.
    for (; row + at.interleaved <= block.height; row += at.interleaved) {
      if (block.element_bytes == 1) {
        interleave<4, std::uint8_t>(memory + row * bytes, block.width, to);
      } else {
        interleave<2, std::uint16_t>(memory + row * bytes, block.width, to);
      }
      to += std::size_t{at.row_pitch} * 4;
    }
  }
  for (; row < block.height; ++row) {
    place_row(block, grf_bytes, which_block, row, memory + row * bytes, registers);
  }
}

void take_row(const Block2d& block, unsigned grf_bytes, unsigned which_block, unsigned row,
              const std::uint8_t* registers, std::uint8_t* memory) {
  const unsigned bytes = block.element_bytes;
  for_row(block, grf_bytes, which_block, row, [&](unsigned x, std::size_t at) {
    std::memcpy(memory + std::size_t{x} * bytes, registers + at, bytes);
  });
}

void take_block(const Block2d& block, unsigned grf_bytes, unsigned which_block,
                const std::uint8_t* registers, std::uint8_t* memory) {
  const std::size_t bytes = row_bytes(block);
  if (!is_plain(block)) {
    for (unsigned row = 0; row < block.height; ++row) {
      take_row(block, grf_bytes, which_block, row, registers, memory + row * bytes);
    }
    return;
  }
  const Layout at = layout(block, grf_bytes);
  const std::size_t pitch = std::size_t{at.row_pitch} * block.element_bytes;
  const std::uint8_t* from =
      registers + std::size_t{which_block} * at.block_pitch * block.element_bytes;
  if (pitch == bytes) {
    std::memcpy(memory, from, bytes * block.height);
    return;
  }
  for (unsigned row = 0; row < block.height; ++row) {
    std::memcpy(memory + row * bytes, from + row * pitch, bytes);
  }
}

}  // namespace tactus::dpas
