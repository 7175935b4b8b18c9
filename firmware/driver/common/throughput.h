// Many runs of a program, one after the other: how many images a second, and how latencies differ.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tactus {

/// The next run is started when the outputs of the one before are there, after what the host takes
/// in each run; none overlap. All images of a run have its latency, which is without the host.
struct Throughput {
  std::uint64_t images = 0;
  std::uint64_t batch = 1;  ///< images of a run
  double clock_mhz = 0;
  double seconds = 0;                       ///< of all runs, the host's time included
  std::optional<double> frames_per_second;  ///< none where neither machine nor host takes time
  /// Cycles. Median and 95th percentile are the nearest rank: the smallest latency that so many of
  /// the runs do not exceed.
  std::uint64_t min = 0, median = 0, p95 = 0, max = 0;
};

/// Runs of `batch` images each that so many images take.
[[nodiscard]] inline std::uint64_t runs_of(std::uint64_t images, std::uint64_t batch) {
  return (images + batch - 1) / batch;
}

/// `latencies`: cycles of each run, at least one. `host_us`: of the host, in each run. `batch`:
/// images of a run.
[[nodiscard]] Throughput throughput(std::vector<std::uint64_t> latencies, double clock_mhz,
                                    double host_us, std::uint64_t batch = 1);

/// {"images", "batch", "seconds", "frames_per_second", "latency_cycles", "latency_ms",
/// "ms_per_image"}; the last three hold min, median, p95 and max. An image has the latency of its
/// run; "ms_per_image" is that over the images of the run.
[[nodiscard]] nlohmann::ordered_json to_json(const Throughput& throughput);

}  // namespace tactus
