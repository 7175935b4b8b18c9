// Address map of a bus: which target an address belongs to. A target has one range of addresses.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/error.h"

namespace tactus {

class BusMap {
 public:
  struct Range {
    std::string name;
    std::uint64_t base = 0, size = 0;  ///< bytes
    [[nodiscard]] bool holds(std::uint64_t address, std::uint64_t bytes) const {
      return address >= base && bytes <= size && address - base <= size - bytes;
    }
  };

  /// Adds a range and returns its number, counted from 0. Throws UserError if the range is empty,
  /// ends beyond 2^64 or overlaps another.
  std::size_t add(const std::string& name, std::uint64_t base, std::uint64_t size) {
    if (size == 0 || base + (size - 1) < base) {
      user_error("address map: {} has {} bytes from 0x{:x} on; allowed 1 or more, below 2^64", name,
                 size, base);
    }
    for (const Range& other : ranges_) {
      if (base > other.base + (other.size - 1) || other.base > base + (size - 1)) continue;
      user_error("address map: {} (0x{:x}..0x{:x}) overlaps {} (0x{:x}..0x{:x})", name, base,
                 base + (size - 1), other.name, other.base, other.base + (other.size - 1));
    }
    ranges_.push_back({name, base, size});
    return ranges_.size() - 1;
  }
  /// The number of the range that contains all `bytes` bytes from `address` on; npos: none does.
  static constexpr std::size_t npos = ~std::size_t{0};
  [[nodiscard]] std::size_t find(std::uint64_t address, std::uint64_t bytes) const {
    for (std::size_t i = 0; i < ranges_.size(); ++i) {
      if (ranges_[i].holds(address, bytes)) return i;
    }
    return npos;
  }
  [[nodiscard]] const Range& operator[](std::size_t i) const { return ranges_[i]; }

 private:
  std::vector<Range> ranges_;
};

}  // namespace tactus
