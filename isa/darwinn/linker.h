// Links a package: allocates device addresses and writes them into the instructions.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "isa/darwinn/package.h"

namespace tactus::darwinn {

/// Overwrites the bits [offset, offset + 32) of the buffer with the value. Bit k of the buffer is
/// bit k mod 8 of byte k / 8. All 32 bits must be inside the buffer.
void write_bits(std::uint8_t* buffer, std::int64_t offset, std::uint32_t value);

/// Device addresses of an executable's buffers. Fields whose address is not set stay unchanged.
struct Addresses {
  std::optional<std::uint64_t> scratch, parameters;
  /// One address per layer and batch element.
  std::vector<std::vector<std::uint64_t>> inputs, outputs;
};

/// Returns a copy of the chunk's instructions in which all fields hold their addresses. verify()
/// must have accepted the executable. Throws PackageError (E_IO_SIZE) if a field names a layer or
/// batch element that has no address.
[[nodiscard]] std::vector<std::uint8_t> link(const Executable& executable, std::size_t chunk,
                                             const Addresses& addresses);

/// A buddy allocator for a device's address space. A request is rounded up to pages and to a power
/// of two; it gets the smallest free block that holds it, the lowest of equal ones. A larger block
/// is split and its low half used. Free halves are joined again.
class BuddyAllocator {
 public:
  static constexpr std::uint64_t page = 4096;

  /// `bytes` is the page size times a power of two.
  BuddyAllocator(std::uint64_t start, std::uint64_t bytes);

  /// Throws UserError if no free block is large enough, or for 0 bytes.
  [[nodiscard]] std::uint64_t allocate(std::uint64_t bytes);
  /// Frees an address that allocate() returned and that has not been freed yet.
  void release(std::uint64_t address);
  [[nodiscard]] std::uint64_t used() const { return used_; }

 private:
  std::uint64_t start_;
  /// offsets of the free blocks of page << index bytes
  std::vector<std::set<std::uint64_t>> free_;
  std::map<std::uint64_t, std::size_t> taken_;  ///< block's offset to its index in free_
  std::uint64_t used_ = 0;
};

/// Start of the device's extended address range, into which the PCIe driver maps buffers.
constexpr std::uint64_t extended_start = 0x8000000000000000;
constexpr std::uint64_t extended_bytes = std::uint64_t{1} << 32;

/// Allocates addresses for all buffers of an executable: parameters, then inputs, outputs, scratch.
/// Each buffer takes at least `granule` bytes, hence starts at a multiple of it.
[[nodiscard]] Addresses allocate(const Executable& executable, BuddyAllocator& allocator,
                                 std::uint64_t granule = BuddyAllocator::page);

}  // namespace tactus::darwinn
