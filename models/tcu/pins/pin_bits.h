// Numbers of any width as words of 64 bits, least significant first. Bits beyond the width are 0.
#pragma once

#include <cstdint>
#include <ostream>
#include <vector>

#include <systemc>

namespace tactus {

[[nodiscard]] constexpr unsigned words_for(unsigned width) { return (width + 63) / 64; }

/// Puts a number of `width` bits at bit `at` of another, whose bits there are 0.
inline void put_bits(std::uint64_t* to, unsigned at, const std::uint64_t* from, unsigned width) {
  for (unsigned done = 0; done < width; done += 64) {
    const unsigned shift = (at + done) % 64;
    to[(at + done) / 64] |= from[done / 64] << shift;
    const unsigned count = width - done < 64 ? width - done : 64;
    if (shift + count > 64) to[(at + done) / 64 + 1] |= from[done / 64] >> (64 - shift);
  }
}

/// Takes the number of `width` bits at bit `at` of another.
inline void take_bits(const std::uint64_t* from, unsigned at, std::uint64_t* to, unsigned width) {
  for (unsigned done = 0; done < width; done += 64) {
    const unsigned shift = (at + done) % 64;
    const unsigned count = width - done < 64 ? width - done : 64;
    std::uint64_t word = from[(at + done) / 64] >> shift;
    if (shift + count > 64) word |= from[(at + done) / 64 + 1] << (64 - shift);
    to[done / 64] = count == 64 ? word : word & ((std::uint64_t{1} << count) - 1);
  }
}

/// A number whose width is known when the program runs, as the value of a signal. It joins pins of
/// two modules without a type for each width.
struct PinBits {
  std::vector<std::uint64_t> words;
  bool operator==(const PinBits& o) const { return words == o.words; }
};
inline std::ostream& operator<<(std::ostream& out, const PinBits& bits) {
  for (std::size_t i = bits.words.size(); i-- > 0;) out << sc_dt::sc_uint<64>(bits.words[i]);
  return out;
}
inline void sc_trace(sc_core::sc_trace_file* /*file*/, const PinBits& /*bits*/,
                     const std::string& /*name*/) {}

}  // namespace tactus
