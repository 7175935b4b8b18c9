// Throughput of many runs of a program in succession: images per second, and the distribution of
// latencies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tactus {

/// A run starts when the outputs of the previous one are available and the host's time of a run has
/// passed; runs do not overlap. All images of a run have its latency, which excludes the host's
/// time.
struct Throughput {
  std::uint64_t images = 0;
  std::uint64_t batch = 1;  ///< images per run
  double clock_mhz = 0;
  double seconds = 0;                       ///< all runs, including the host's time
  std::optional<double> frames_per_second;  ///< empty if neither machine nor host takes time
  /// Latencies in cycles. Median and 95th percentile are by nearest rank: the smallest latency that
  /// this share of the runs does not exceed.
  std::uint64_t min = 0, median = 0, p95 = 0, max = 0;
};

/// Returns the number of runs for `images` images if each run has `batch` images.
[[nodiscard]] inline std::uint64_t runs_of(std::uint64_t images, std::uint64_t batch) {
  return (images + batch - 1) / batch;
}

/// `latencies`: cycles of each run, at least one. `host_us`: host time per run. `batch`: images per
/// run. `units`: machines that run at the same time; run i is one of machine i mod units, and the
/// time is that of the machine which takes longest.
[[nodiscard]] Throughput throughput(std::vector<std::uint64_t> latencies, double clock_mhz,
                                    double host_us, std::uint64_t batch = 1, unsigned units = 1);

/// {"images", "batch", "seconds", "frames_per_second", "latency_cycles", "latency_ms",
/// "ms_per_image"}; the last three hold min, median, p95 and max. An image has the latency of its
/// run; "ms_per_image" is this latency divided by the images of the run.
[[nodiscard]] nlohmann::ordered_json to_json(const Throughput& throughput);

}  // namespace tactus
