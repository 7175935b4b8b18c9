// Reads and writes little-endian fields; error messages give the offset.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/error.h"

namespace tactus::dpas {

class ByteWriter {
 public:
  explicit ByteWriter(std::vector<std::uint8_t>& bytes) : bytes_(bytes) {}

  void put(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) {
      bytes_.push_back(static_cast<std::uint8_t>(value >> (8 * i)));
    }
  }
  void u8(std::uint64_t value) { put(value, 1); }
  void u16(std::uint64_t value) { put(value, 2); }
  void u32(std::uint64_t value) { put(value, 4); }
  void text(const std::string& value) { bytes_.insert(bytes_.end(), value.begin(), value.end()); }
  [[nodiscard]] std::size_t size() const { return bytes_.size(); }
  /// Overwrites a field written earlier.
  void patch(std::size_t at, std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i) {
      bytes_[at + i] = static_cast<std::uint8_t>(value >> (8 * i));
    }
  }

 private:
  std::vector<std::uint8_t>& bytes_;
};

/// Reads the bytes [at, end); reading beyond is an error.
class ByteReader {
 public:
  ByteReader(const std::uint8_t* bytes, std::size_t end, std::size_t at, const std::string& where)
      : bytes_(bytes), end_(end), at_(at), where_(where) {}

  [[nodiscard]] std::uint64_t get(unsigned width, const char* what) {
    if (end_ - at_ < width) {
      fail(at_, "ends in the middle of {}: {} bytes are left, {} needed", what, end_ - at_, width);
    }
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i) {
      value |= std::uint64_t{bytes_[at_ + i]} << (8 * i);
    }
    at_ += width;
    return value;
  }
  [[nodiscard]] std::uint8_t u8(const char* what) {
    return static_cast<std::uint8_t>(get(1, what));
  }
  [[nodiscard]] std::uint16_t u16(const char* what) {
    return static_cast<std::uint16_t>(get(2, what));
  }
  [[nodiscard]] std::uint32_t u32(const char* what) {
    return static_cast<std::uint32_t>(get(4, what));
  }
  [[nodiscard]] std::string text(std::size_t length, const char* what) {
    if (end_ - at_ < length) {
      fail(at_, "ends in the middle of {}: {} bytes are left, {} needed", what, end_ - at_, length);
    }
    std::string value(reinterpret_cast<const char*>(bytes_) + at_, length);
    at_ += length;
    return value;
  }
  /// Reads text up to a NUL and consumes the NUL.
  [[nodiscard]] std::string text_to_nul(const char* what) {
    std::size_t end = at_;
    while (end < end_ && bytes_[end] != 0) ++end;
    if (end == end_) fail(at_, "{} has no end", what);
    std::string value = text(end - at_, what);
    ++at_;
    return value;
  }
  /// Reads a count of items that have at least `smallest` bytes each; an error if the remaining
  /// bytes cannot hold them.
  [[nodiscard]] std::uint32_t count(unsigned width, std::size_t smallest, const char* what) {
    const std::size_t start = at_;
    const auto value = static_cast<std::uint32_t>(get(width, what));
    if (value > (end_ - at_) / smallest) {
      fail(start, "{} is {}, more than the {} bytes that follow have room for", what, value,
           end_ - at_);
    }
    return value;
  }

  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::size_t end() const { return end_; }

  template <typename... Args>
  [[noreturn]] void fail(std::size_t offset, fmt::format_string<Args...> format,
                         Args&&... args) const {
    user_error("{}:offset 0x{:X}: {}", where_, offset,
               fmt::format(format, std::forward<Args>(args)...));
  }

 private:
  const std::uint8_t* bytes_;
  std::size_t end_;
  std::size_t at_;
  const std::string& where_;
};

}  // namespace tactus::dpas
