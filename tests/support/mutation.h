// Introduces small errors into files, for tests of readers.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "firmware/zoo/random.h"

namespace tactus {

/// Makes one to eight random changes. Each changes a byte or a bit, removes a part, or copies a
/// part.
inline std::vector<std::uint8_t> mutated(std::vector<std::uint8_t> bytes, nn::Random& random) {
  for (std::uint64_t changes = 1 + random.next() % 8; changes > 0 && !bytes.empty(); --changes) {
    const std::size_t at = random.next() % bytes.size();
    const std::size_t length = std::min<std::size_t>(1 + random.next() % 40, bytes.size() - at);
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(at);
    const auto last = first + static_cast<std::ptrdiff_t>(length);
    const std::vector<std::uint8_t> stretch(first, last);
    switch (random.next() % 4) {
      case 0:
        bytes[at] = static_cast<std::uint8_t>(random.next());
        break;
      case 1:
        bytes[at] ^= static_cast<std::uint8_t>(1U << (random.next() % 8));
        break;
      case 2:
        bytes.erase(first, last);
        break;
      default: {
        const std::size_t to = random.next() % (bytes.size() + 1);
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(to), stretch.begin(),
                     stretch.end());
      }
    }
  }
  return bytes;
}

}  // namespace tactus
