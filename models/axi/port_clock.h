// The edges of a second clock beside the design's, in whole picoseconds.
#pragma once

#include <cstdint>

namespace tactus {

/// A clock with p/q times the frequency of a clock with period `ps`; both have an edge at time 0.
/// Edge k is at k * ps * q / p, rounded down, so that common edges are equal exactly. Valid for
/// times up to 2^64 / p ps: five hours for p = 1000.
class PortClock {
 public:
  PortClock(std::uint64_t ps, std::uint64_t p, std::uint64_t q) : ps_(ps * q), p_(p) {}

  [[nodiscard]] std::uint64_t edge(std::uint64_t k) const {
    return p_ == 1 ? k * ps_ : k * ps_ / p_;
  }
  /// The first edge at or after a time.
  [[nodiscard]] std::uint64_t edge_from(std::uint64_t time) const {
    return p_ == 1 ? (time + ps_ - 1) / ps_ : (time * p_ + ps_ - 1) / ps_;
  }

 private:
  std::uint64_t ps_, p_;
};

}  // namespace tactus
