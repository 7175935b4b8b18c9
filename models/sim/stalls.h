// Random stalls at the borders of a design, to prove that they cost cycles and never change data.
#pragma once

#include <cstdint>

namespace tactus {

/// The generator of the golden logs: a 32-bit LCG with one draw per border signal and cycle. The
/// signal is stalled if draw % 100 < percent. Source: hardware spec section 17.
class StallGenerator {
 public:
  StallGenerator() = default;  ///< never stalls
  StallGenerator(std::uint32_t seed, unsigned percent)
      : seed_(seed), state_(seed), percent_(percent) {}

  [[nodiscard]] std::uint32_t seed() const { return seed_; }
  [[nodiscard]] unsigned percent() const { return percent_; }

  [[nodiscard]] bool draw() {
    if (percent_ == 0) return false;
    state_ = state_ * 1103515245U + 12345U;
    return ((state_ >> 16) & 0x7FFFU) % 100 < percent_;
  }

 private:
  std::uint32_t seed_ = 0;
  std::uint32_t state_ = 0;
  unsigned percent_ = 0;
};

}  // namespace tactus
