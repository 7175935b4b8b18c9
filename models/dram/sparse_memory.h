// Bytes of one memory bank, allocated by page when first written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace tactus {

/// 2^32 bytes, all zero at first; addresses wrap at 32 bits, as on the design's AXI ports.
class SparseMemory {
 public:
  SparseMemory() : pages_(std::size_t{1} << (32 - page_bits)) {}

  void read(std::uint32_t address, std::uint8_t* data, std::size_t count) const;
  void write(std::uint32_t address, const std::uint8_t* data, std::size_t count);

 private:
  static constexpr unsigned page_bits = 16;
  static constexpr std::size_t page_bytes = std::size_t{1} << page_bits;
  using Page = std::array<std::uint8_t, page_bytes>;
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace tactus
