// Counters of a DRAM controller.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tactus {

/// Distribution of latencies, in DRAM clocks.
struct DdrLatencies {
  static constexpr unsigned bin_clocks = 8;
  static constexpr std::size_t bins = 64;

  std::uint64_t count = 0, sum = 0, max = 0;
  /// Accesses by latency, in bins of bin_clocks clocks. The last bin has all longer latencies too.
  std::array<std::uint64_t, bins> histogram{};

  void add(std::uint64_t clocks) {
    ++count;
    sum += clocks;
    max = std::max(max, clocks);
    ++histogram[std::min<std::uint64_t>(clocks / bin_clocks, bins - 1)];
  }
  [[nodiscard]] double mean() const {
    return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
  }
};

struct DdrPortStatistics {
  unsigned port = 0;  ///< the port's number in the configuration
  /// Bytes that accesses asked for. Each access transfers burst_bytes() on the bus.
  std::uint64_t bytes_read = 0, bytes_written = 0;
  DdrLatencies reads;   ///< from arrival to the end of the data
  DdrLatencies writes;  ///< from arrival to the answer, one clock after admission
};

struct DdrStatistics {
  std::uint64_t reads = 0, writes = 0;                ///< commands RD and WR
  std::uint64_t hits = 0, misses = 0, conflicts = 0;  ///< accesses by DdrRowState
  std::uint64_t activates = 0, precharges = 0;        ///< commands ACT; commands PRE and PREA
  std::uint64_t refreshes = 0;
  std::uint64_t refresh_clocks = 0;  ///< from when a refresh is due until the banks are free
  std::uint64_t bus_clocks = 0;      ///< clocks with data on the bus
  std::uint64_t clocks = 0;          ///< since time 0
  /// Parts of the accesses' time as in DdrDone, summed over all accesses, in clocks.
  std::uint64_t queue = 0, row = 0, refresh = 0, bus = 0, rest = 0;
  std::vector<DdrPortStatistics> ports;
};

}  // namespace tactus
