// Little-endian fields: one list of them reads a file and writes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/support/error.h"

namespace tactus {

/// The direction and place of a list of fields. A call of a field sets its argument from the bytes,
/// or appends the argument to the bytes. Errors of reading give the offset; fields that are written
/// are right by the precondition of who writes.
class ByteFields {
 public:
  /// Reads the bytes [at, end); reading beyond is an error.
  ByteFields(const std::uint8_t* bytes, std::size_t end, std::size_t at, const std::string& where)
      : bytes_(bytes), end_(end), at_(at), where_(&where) {}
  /// Writes behind the bytes.
  explicit ByteFields(std::vector<std::uint8_t>& bytes) : at_(bytes.size()), out_(&bytes) {}

  [[nodiscard]] bool reads() const { return out_ == nullptr; }
  [[nodiscard]] std::size_t at() const { return at_; }
  [[nodiscard]] std::size_t end() const { return end_; }

  /// An integer, enumeration or bool of `width` bytes.
  template <typename T>
  void field(T& value, unsigned width, const char* what) {
    if (reads()) {
      value = static_cast<T>(get(width, what));
    } else {
      put(static_cast<std::uint64_t>(value), width);
    }
  }
  /// A byte that is smallest..largest; `code` precedes the message.
  template <typename T>
  void limited(T& value, unsigned smallest, unsigned largest, const char* what,
               const char* code = "") {
    const std::size_t start = at_;
    auto number = static_cast<std::uint64_t>(value);
    field(number, 1, what);
    if (number < smallest || number > largest) {
      fail(start, "{}{} of code {}; allowed {}..{}", code, what, number, smallest, largest);
    }
    value = static_cast<T>(number);
  }
  /// A number that is always 0. Returns what is there.
  std::uint64_t zero(unsigned width, const char* what) {
    std::uint64_t value = 0;
    field(value, width, what);
    return value;
  }
  /// `length` bytes of text.
  void text(std::string& value, std::size_t length, const char* what) {
    if (!reads()) return append(value);
    need(length, what);
    value.assign(reinterpret_cast<const char*>(bytes_) + at_, length);
    at_ += length;
  }
  /// Text and a NUL behind it.
  void text_and_nul(std::string& value, const char* what) {
    std::size_t end = at_;
    while (end < end_ && bytes_[end] != 0) ++end;
    if (reads() && end == end_) fail(at_, "{} has no end", what);
    text(value, end - at_, what);
    (void)zero(1, what);
  }
  /// A count of items that have at least `smallest` bytes each, which is not checked if it is 0; an
  /// error if the bytes that are left cannot hold them.
  void count(std::size_t& value, unsigned width, std::size_t smallest, const char* what) {
    const std::size_t start = at_;
    field(value, width, what);
    if (reads() && smallest != 0 && value > (end_ - at_) / smallest) {
      fail(start, "{} is {}, more than the {} bytes that follow have room for", what, value,
           end_ - at_);
    }
  }

  /// The next `length` bytes, which have to be there.
  [[nodiscard]] ByteFields part(std::size_t length) const {
    return {bytes_, at_ + length, at_, *where_};
  }
  /// Bytes that were written elsewhere.
  template <typename Bytes>
  void append(const Bytes& bytes) {
    out_->insert(out_->end(), bytes.begin(), bytes.end());
    at_ += bytes.size();
  }

  template <typename... Args>
  [[noreturn]] void fail(std::size_t offset, fmt::format_string<Args...> format,
                         Args&&... args) const {
    const std::string what = fmt::format(format, std::forward<Args>(args)...);
    if (!reads()) internal_error("byte {} cannot be written: {}", offset, what);
    user_error("{}:offset 0x{:X}: {}", *where_, offset, what);
  }

 private:
  void need(std::size_t length, const char* what) const {
    if (end_ - at_ >= length) return;
    fail(at_, "ends in the middle of {}: {} bytes are left, {} needed", what, end_ - at_, length);
  }
  std::uint64_t get(unsigned width, const char* what) {
    need(width, what);
    std::uint64_t value = 0;
    for (unsigned i = 0; i < width; ++i) value |= std::uint64_t{bytes_[at_++]} << (8 * i);
    return value;
  }
  void put(std::uint64_t value, unsigned width) {
    for (unsigned i = 0; i < width; ++i, value >>= 8) {
      out_->push_back(static_cast<std::uint8_t>(value));
    }
    at_ += width;
  }

  const std::uint8_t* bytes_ = nullptr;
  std::size_t end_ = 0;
  std::size_t at_;
  const std::string* where_ = nullptr;
  std::vector<std::uint8_t>* out_ = nullptr;
};

}  // namespace tactus
