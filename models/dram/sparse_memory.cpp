#include "models/dram/sparse_memory.h"

#include <algorithm>
#include <cstring>
#include <new>

namespace tactus {

ZeroedBytes SparseMemory::make_page() {
  ZeroedBytes page = zeroed_bytes(page_bytes, 1);
  if (page == nullptr) throw std::bad_alloc();
  return page;
}

void SparseMemory::read_pages(std::uint32_t address, std::uint8_t* data, std::size_t count) const {
  while (count > 0) {
    const std::size_t offset = address % page_bytes;
    const std::size_t chunk = std::min(count, page_bytes - offset);
    if (const auto& page = pages_[address >> page_bits]) {
      std::memcpy(data, page.get() + offset, chunk);
    } else {
      std::memset(data, 0, chunk);
    }
    data += chunk;
    count -= chunk;
    address += static_cast<std::uint32_t>(chunk);
  }
}

void SparseMemory::write(std::uint32_t address, const std::uint8_t* data, std::size_t count) {
  while (count > 0) {
    const std::size_t offset = address % page_bytes;
    const std::size_t chunk = std::min(count, page_bytes - offset);
    auto& page = pages_[address >> page_bits];
    if (page == nullptr) page = make_page();
    std::memcpy(page.get() + offset, data, chunk);
    data += chunk;
    count -= chunk;
    address += static_cast<std::uint32_t>(chunk);
  }
}

}  // namespace tactus
