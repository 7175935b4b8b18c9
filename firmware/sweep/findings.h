// What stands out in the results of a sweep.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/report/json_values.h"
#include "firmware/sweep/results.h"

namespace tactus::sweep {

/// A point that went well. One whose program has no instructions takes 0 cycles and has no rates.
struct Measured {
  const Line* line = nullptr;
  std::string where;  ///< of the line: "DIR/results.jsonl:3"
  std::uint64_t point = 0;
  std::string network;
  std::uint64_t cycles = 0;
  double latency_ms = 0;
  std::optional<double> frames_per_second, array_busy, useful_mac;
  double memory_bits = 0, multipliers = 0;  ///< see energy::OnChip
  /// Both banks, read and written, one image after the other.
  std::optional<double> dram_bytes_per_second;

  [[nodiscard]] JsonValues values() const { return {*line, where}; }
};

/// Ascending points; valid as long as `results`. Throws UserError that names the line and the
/// figure, for a figure that is missing or of another type.
[[nodiscard]] std::vector<Measured> measured(const Results& results);

/// The values of a line by key ("section.key"); null where it has none.
[[nodiscard]] const Line& value_of(const Line& line, const std::string& key);

/// A value as people write it: no quotes, few digits; empty for null.
[[nodiscard]] std::string plain(const Line& value);

/// Keys of the configuration whose values differ between lines, in the configuration's order.
[[nodiscard]] std::vector<std::string> varied_keys(const std::vector<Line>& lines);

/// Those of varied_keys() whose value follows from that of `key`: lines of one value of `key` agree
/// in them.
[[nodiscard]] std::vector<std::string> implied_by(const std::vector<Line>& lines,
                                                  const std::string& key);

/// Indices of the points for which no other is as good or better in both and better in one; by
/// ascending cost. Of equal points the first counts.
struct CostAndTime {
  double cost = 0, time = 0;
};
[[nodiscard]] std::vector<std::size_t> pareto_front(const std::vector<CostAndTime>& points);

/// Of points of one network, which are not empty and have rates: places in `points`. Ties go to
/// less memory, fewer multipliers, the lower point.
struct Best {
  std::size_t fastest = 0;      ///< lowest latency
  std::size_t efficient = 0;    ///< most frames per second for each bit of memory
  std::size_t smallest = 0;     ///< least memory within 10 % of the lowest latency
  std::size_t multipliers = 0;  ///< fewest multipliers within 10 % of the lowest latency
};
[[nodiscard]] Best best_of(const std::vector<const Measured*>& points);

}  // namespace tactus::sweep
