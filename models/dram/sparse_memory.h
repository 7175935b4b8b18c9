// Bytes of one memory bank, allocated by page when first written.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "models/sim/queue.h"

namespace tactus {

/// 2^32 bytes, all zero at first; addresses wrap at 32 bits, as on the design's AXI ports.
class SparseMemory {
 public:
  SparseMemory() : pages_(std::size_t{1} << (32 - page_bits)) {}

  void read(std::uint32_t address, std::uint8_t* data, std::size_t count) const {
    const std::size_t offset = address % page_bytes;
    const Page* page = pages_[address >> page_bits].get();
    if (page == nullptr || count > page_bytes - offset) return read_pages(address, data, count);
    copy_block(data, page->data() + offset, count);
  }
  void write(std::uint32_t address, const std::uint8_t* data, std::size_t count);

 private:
  static constexpr unsigned page_bits = 16;
  static constexpr std::size_t page_bytes = std::size_t{1} << page_bits;
  using Page = std::array<std::uint8_t, page_bytes>;
  void read_pages(std::uint32_t address, std::uint8_t* data, std::size_t count) const;
  std::vector<std::unique_ptr<Page>> pages_;
};

}  // namespace tactus
