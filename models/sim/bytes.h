// Functions for the bytes that models hold and move.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>

namespace tactus {

/// Copies bytes like memcpy, but without a call for the most frequent vectors: 8 and 32 lanes of 16
/// bits.
inline void copy_block(std::uint8_t* to, const std::uint8_t* from, std::size_t bytes) {
  if (bytes == 16) {
    std::memcpy(to, from, 16);
  } else if (bytes == 64) {
    std::memcpy(to, from, 64);
  } else {
    std::memcpy(to, from, bytes);
  }
}

struct FreeBytes {
  void operator()(std::uint8_t* bytes) const { std::free(bytes); }
};
using ZeroedBytes = std::unique_ptr<std::uint8_t[], FreeBytes>;

/// Returns `count` blocks of zeroes from calloc, so that pages that are never used cost nothing.
/// Null if the host has no room.
inline ZeroedBytes zeroed_bytes(std::size_t count, std::size_t block_bytes) {
  return ZeroedBytes(static_cast<std::uint8_t*>(std::calloc(count, block_bytes)));
}

}  // namespace tactus
