// Addresses in the compiler: memory, object, vector.
//
// An address is one 64-bit word, tag (8 bits), ref (16), raw (40) from the top, so that comparing
// words sorts by memory, then by the allocation number of the owning object, then by vector. Every
// ordering rule of the scheduler rests on this. Source: toolchain spec section 3.5.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace tactus::compiler {

enum class Tag : std::uint8_t {
  temp = 0,          ///< virtual results inside one layer, unbounded
  accumulators = 1,  ///< the machine's accumulators
  local = 2,
  dram0 = 3,
  dram1 = 4,
  zeroes = 126,  ///< a vector of zeroes, in no memory
  invalid = 127,
};

class Address {
 public:
  static constexpr unsigned ref_bits = 16, raw_bits = 40;

  /// An invalid address.
  constexpr Address() : Address(Tag::invalid, 0, 0) {}
  /// `ref` and `raw` must fit their fields.
  constexpr Address(Tag tag, std::uint32_t ref, std::uint64_t raw)
      : bits_(static_cast<std::uint64_t>(tag) << (ref_bits + raw_bits) |
              static_cast<std::uint64_t>(ref) << raw_bits | raw) {}
  static constexpr Address zeroes() { return {Tag::zeroes, 0, 0}; }
  static constexpr Address invalid() { return {}; }

  [[nodiscard]] constexpr Tag tag() const {
    return static_cast<Tag>(bits_ >> (ref_bits + raw_bits));
  }
  [[nodiscard]] constexpr std::uint32_t ref() const {
    return static_cast<std::uint32_t>(bits_ >> raw_bits) & ((1U << ref_bits) - 1);
  }
  [[nodiscard]] constexpr std::uint64_t raw() const {
    return bits_ & ((std::uint64_t{1} << raw_bits) - 1);
  }
  [[nodiscard]] constexpr std::uint64_t bits() const { return bits_; }
  [[nodiscard]] constexpr bool is(Tag tag_) const { return tag() == tag_; }

  friend constexpr bool operator==(Address a, Address b) { return a.bits_ == b.bits_; }
  friend constexpr bool operator!=(Address a, Address b) { return a.bits_ != b.bits_; }
  friend constexpr bool operator<(Address a, Address b) { return a.bits_ < b.bits_; }

 private:
  std::uint64_t bits_;
};

/// An ordered list of vectors: a whole object or any part of it.
using Addresses = std::vector<Address>;

/// Sorts addresses and removes duplicates.
inline void sort_unique(Addresses& addresses) {
  std::sort(addresses.begin(), addresses.end());
  addresses.erase(std::unique(addresses.begin(), addresses.end()), addresses.end());
}

/// "Local(12)", "DRAM0(7)", "Temp(3.5)" (ref and raw), "Zeroes", "Invalid".
[[nodiscard]] std::string to_string(Address address);

/// Runs of consecutive vectors are shortened: "DRAM0(0..63) Zeroes*4 DRAM1(5)".
[[nodiscard]] std::string to_string(const Addresses& addresses);

}  // namespace tactus::compiler

template <>
struct std::hash<tactus::compiler::Address> {
  std::size_t operator()(tactus::compiler::Address a) const noexcept {
    return std::hash<std::uint64_t>()(a.bits() * 0x9E3779B97F4A7C15U);
  }
};
