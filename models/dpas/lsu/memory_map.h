// The buffers in memory that a kernel may access. Access outside of them is an error.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tactus::dpas {

/// A buffer that a kernel may load from and store to: [address, address + size).
struct Buffer {
  std::string name;
  std::uint64_t address = 0;
  std::uint64_t size = 0;
};

class MemoryMap {
 public:
  /// Replaces all buffers. Precondition: they do not overlap and lie below 2^32.
  void assign(std::vector<Buffer> buffers) {
    buffers_ = std::move(buffers);
    last_ = 0;
  }
  [[nodiscard]] const std::vector<Buffer>& buffers() const { return buffers_; }

  /// True if all `count` bytes from `address` on are in one buffer.
  [[nodiscard]] bool contains(std::uint64_t address, std::uint64_t count) {
    if (last_ < buffers_.size() && in(buffers_[last_], address, count)) return true;
    for (last_ = 0; last_ < buffers_.size(); ++last_) {
      if (in(buffers_[last_], address, count)) return true;
    }
    return false;
  }
  /// The buffers as text for messages, such as "A 0x10000..0x10fff, B ...", or "no buffer is
  /// bound".
  [[nodiscard]] std::string text() const;

 private:
  static bool in(const Buffer& buffer, std::uint64_t address, std::uint64_t count) {
    const std::uint64_t offset = address - buffer.address;
    return offset < buffer.size && count <= buffer.size - offset;
  }
  std::vector<Buffer> buffers_;
  /// Index of the buffer of the last access, tried first: successive accesses are mostly to one
  /// buffer.
  std::size_t last_ = 0;
};

}  // namespace tactus::dpas
