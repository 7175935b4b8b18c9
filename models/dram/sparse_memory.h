// Bytes of a memory bank, allocated by page at the first write.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include "models/sim/bytes.h"

namespace tactus {

/// 2^32 bytes, initially zero. Addresses wrap at 32 bits, as on the design's AXI ports.
class SparseMemory {
 public:
  void read(std::uint32_t address, std::uint8_t* data, std::size_t count) const {
    const std::size_t offset = address % page_bytes;
    const ZeroedBytes& page = pages_[address >> page_bits];
    if (page == nullptr || count > page_bytes - offset) return read_pages(address, data, count);
    copy_block(data, page.get() + offset, count);
  }
  void write(std::uint32_t address, const std::uint8_t* data, std::size_t count);

  // Pages are large, so that the page table of a memory is short and cheap to make. A page takes
  // only the host memory that is touched, see make_page().
  static constexpr unsigned page_bits = 20;
  static constexpr std::size_t page_bytes = std::size_t{1} << page_bits;
  struct Page {
    std::uint32_t address;
    std::uint8_t* bytes;  ///< null: never written
  };
  /// The page that contains an address. An allocated page keeps its location.
  [[nodiscard]] Page page(std::uint32_t address) const {
    const std::uint32_t index = address >> page_bits;
    return {index << page_bits, pages_[index].get()};
  }

 private:
  static ZeroedBytes make_page();
  void read_pages(std::uint32_t address, std::uint8_t* data, std::size_t count) const;

  std::array<ZeroedBytes, std::size_t{1} << (32 - page_bits)> pages_;
};

}  // namespace tactus
