// Which bytes of memory belong to a kernel: what it touches outside of them is an error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus::dpas {

/// A buffer that a kernel may load from and store to; [address, address + size).
struct Buffer {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

class MemoryMap {
 public:
  /// Replaces all buffers; they do not overlap and lie below 2^32.
  void assign(std::vector<Buffer> buffers) {
    buffers_ = std::move(buffers);
    last_ = 0;
  }
  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }

  /// Whether all the bytes lie in one buffer.
  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t count) {
    if (last_ < buffers_.size() && in(buffers_[last_], address, count)) return true;
    for (last_ = 0; last_ < buffers_.size(); ++last_) {
      if (in(buffers_[last_], address, count)) return true;
    }
    return false;
  }
  /// "A 0x10000..0x10fff, B ...", or "no buffer is bound".
  [[nodiscard]] std::string text() const;

 private:
  static bool in(const Buffer& buffer, std::uint64_t address, std::uint64_t count) {
    const std::uint64_t offset = address - buffer.address;
    return offset < buffer.size && count <= buffer.size - offset;
  }
  std::vector<Buffer> buffers_;
  std::size_t last_ = 0;  ///< the buffer of the last access; most follow each other
};

}  // namespace tactus::dpas
