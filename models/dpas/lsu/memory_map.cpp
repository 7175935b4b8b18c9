#include "models/dpas/lsu/memory_map.h"

#include <fmt/format.h>

namespace tactus::dpas {

std::string MemoryMap::text() const {
  if (buffers_.empty()) return "no buffer is bound";
  std::string text;
  for (const Buffer& buffer : buffers_) {
    text += fmt::format("{}{} 0x{:x}..0x{:x}", text.empty() ? "" : ", ", buffer.name,
                        buffer.address, buffer.address + buffer.size - 1);
  }
  return text;
}

}  // namespace tactus::dpas
