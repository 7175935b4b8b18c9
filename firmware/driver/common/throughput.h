// Many images, one after the other: how many a second, and how their latencies differ.
#pragma once

#include <cstdint>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tactus {

/// The next image is started when the outputs of the one before are there, after what the host
/// takes in each run; none overlap. Latencies are without the host.
struct Throughput {
  std::uint64_t images = 0;
  double clock_mhz = 0;
  double seconds = 0;  ///< of all images, the host's time included
  double frames_per_second = 0;
  /// Cycles. Median and 95th percentile are the nearest rank: the smallest latency that so many of
  /// the images do not exceed.
  std::uint64_t min = 0, median = 0, p95 = 0, max = 0;
};

/// `latencies`: cycles of each image, at least one. `host_us`: of the host, in each run.
[[nodiscard]] Throughput throughput(std::vector<std::uint64_t> latencies, double clock_mhz,
                                    double host_us);

/// {"images", "seconds", "frames_per_second", "latency_cycles", "latency_ms"}; the latter two hold
/// min, median, p95 and max.
[[nodiscard]] nlohmann::ordered_json to_json(const Throughput& throughput);

}  // namespace tactus
