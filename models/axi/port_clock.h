// The edges of a second clock beside the design's, in whole units of sc_time::value().
#pragma once

#include <cstdint>

namespace tactus {

/// A clock with p/q times the frequency of a clock with period `period`; both have an edge at time
/// 0. Edge k is at k * period * q / p, rounded down, so that common edges are equal exactly. Valid
/// for times up to 2^64 / p: five hours for p = 1000 and a unit of 1 ps.
class PortClock {
 public:
  PortClock(std::uint64_t period, std::uint64_t p, std::uint64_t q) : all_(period * q), p_(p) {}

  [[nodiscard]] std::uint64_t edge(std::uint64_t k) const {
    return p_ == 1 ? k * all_ : k * all_ / p_;
  }
  /// The first edge at or after a time.
  [[nodiscard]] std::uint64_t edge_from(std::uint64_t time) const {
    return p_ == 1 ? (time + all_ - 1) / all_ : (time * p_ + all_ - 1) / all_;
  }

 private:
  std::uint64_t all_;  ///< p periods of this clock
  std::uint64_t p_;
};

}  // namespace tactus
