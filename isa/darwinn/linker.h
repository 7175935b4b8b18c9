// Linking: device addresses into the instructions, and where the device's addresses come from.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "isa/darwinn/package.h"

namespace tactus::darwinn {

/// Overwrites bits [offset, offset + 32) of the buffer with the value; bit k of the buffer is bit
/// k mod 8 of byte k / 8. All 32 bits must be inside.
void write_bits(std::uint8_t* buffer, std::int64_t offset, std::uint32_t value);

/// Device addresses of an executable's buffers. What is not set leaves its fields alone.
struct Addresses {
  std::optional<std::uint64_t> scratch, parameters;
  /// Of each layer, of each batch element.
  std::vector<std::vector<std::uint64_t>> inputs, outputs;
};

/// A copy of the chunk's instructions with all its fields set. The executable must have been
/// accepted by verify(). Throws PackageError (E_IO_SIZE) for a layer or batch element in a field
/// that has no address.
[[nodiscard]] std::vector<std::uint8_t> link(const Executable& executable, std::size_t chunk,
                                             const Addresses& addresses);

/// The address space of a device, given out by halves: a request is rounded up to pages and to a
/// power of two, and takes the lowest of the smallest free blocks that hold it; a larger block is
/// split, and its low half used. Freed halves join again.
class BuddyAllocator {
 public:
  static constexpr std::uint64_t page = 4096;

  /// `bytes`: a power of two of pages.
  BuddyAllocator(std::uint64_t start, std::uint64_t bytes);

  /// Throws UserError if no free block is large enough, or for 0 bytes.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  /// What allocate() has returned and nobody has freed.
  void release(std::uint64_t address);
  [[nodiscard]] std::uint64_t used() const { return used_; }

 private:
  std::uint64_t start_;
  std::vector<std::set<std::uint64_t>> free_;   ///< offsets of blocks of page << index bytes
  std::map<std::uint64_t, std::size_t> taken_;  ///< offset to index
  std::uint64_t used_ = 0;
};

/// Where the PCIe driver maps what it maps: the device's extended range.
constexpr std::uint64_t extended_start = 0x8000000000000000;
constexpr std::uint64_t extended_bytes = std::uint64_t{1} << 32;

/// Addresses of all buffers of an executable: parameters, then inputs, outputs, scratch. Each takes
/// `granule` bytes at least, and so starts at a multiple of it.
[[nodiscard]] Addresses allocate(const Executable& executable, BuddyAllocator& allocator,
                                 std::uint64_t granule = BuddyAllocator::page);

}  // namespace tactus::darwinn
