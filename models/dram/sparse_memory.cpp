#include "models/dram/sparse_memory.h"

#include <algorithm>
#include <cstring>

namespace tactus {

void SparseMemory::read_pages(std::uint32_t address, std::uint8_t* data, std::size_t count) const {
  while (count > 0) {
    const std::size_t offset = address % page_bytes;
    const std::size_t chunk = std::min(count, page_bytes - offset);
    if (const auto& page = pages_[address >> page_bits]) {
      std::memcpy(data, page->data() + offset, chunk);
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
    if (page == nullptr) page = std::make_unique<Page>();  // value-initialised: zeroes
    std::memcpy(page->data() + offset, data, chunk);
    data += chunk;
    count -= chunk;
    address += static_cast<std::uint32_t>(chunk);
  }
}

}  // namespace tactus
