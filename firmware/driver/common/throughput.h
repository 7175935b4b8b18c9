// Throughput of many runs of a program, one after the other: images per second, and the
// distribution of latencies.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <nlohmann/json_fwd.hpp>

namespace tactus {

/// Runs of a machine do not overlap: a run starts when the outputs of the previous one are
/// available and the host's time of a run has passed. All images of a run have its latency, which
/// excludes the host's time.
struct Throughput {
  std::uint64_t images = 0;
  std::uint64_t batch = 1;  ///< images per run
  double clock_mhz = 0;
  double seconds = 0;                       ///< time of all runs, including the host's
  std::optional<double> frames_per_second;  ///< empty if neither machine nor host takes time
  /// Latencies in cycles. Median and 95th percentile are by nearest rank: the smallest latency that
  /// 50 or 95 % of the runs do not exceed.
  std::uint64_t min = 0, median = 0, p95 = 0, max = 0;
};

/// The smallest of sorted times, at least one, that `percent` % of them do not exceed (nearest
/// rank).
[[nodiscard]] inline std::uint64_t nearest_rank(const std::vector<std::uint64_t>& times,
                                                std::size_t percent) {
  return times[(times.size() * percent + 99) / 100 - 1];
}

/// Returns the number of runs for `images` images if each run has `batch` images.
[[nodiscard]] inline std::uint64_t runs_of(std::uint64_t images, std::uint64_t batch) {
  return (images + batch - 1) / batch;
}

/// Computes the throughput of runs.
/// - `latencies`: cycles of each run; there is at least one run
/// - `host_us`: host time per run
/// - `batch`: images per run
/// - `units`: machines that run at the same time; machine i mod units executes run i, and the
///   slowest machine determines the time
[[nodiscard]] Throughput throughput(std::vector<std::uint64_t> latencies, double clock_mhz,
                                    double host_us, std::uint64_t batch = 1, unsigned units = 1);

/// Returns an object with "images", "batch", "seconds", "frames_per_second", "latency_cycles",
/// "latency_ms" and "ms_per_image". The last three have min, median, p95 and max. "ms_per_image" is
/// the latency of a run divided by its images.
[[nodiscard]] nlohmann::ordered_json to_json(const Throughput& throughput);

}  // namespace tactus
