// Evaluates the results of a sweep: best points, fronts, keys that vary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/report/json_values.h"
#include "firmware/sweep/results.h"

namespace tactus::sweep {

/// A successful point. A program without instructions takes 0 cycles and has no rates.
struct Measured {
  const Line* line = nullptr;
  std::string where;  ///< position of the line: "DIR/results.jsonl:3"
  std::uint64_t point = 0;
  std::string network;
  std::uint64_t cycles = 0;
  double latency_ms = 0;
  std::optional<double> frames_per_second, array_busy, useful_mac;
  double memory_bits = 0, multipliers = 0;  ///< see energy::OnChip
  /// Traffic of both DRAM banks, read and written, with images run one after the other.
  std::optional<double> dram_bytes_per_second;

  [[nodiscard]] JsonValues values() const { return {*line, where}; }
};

/// Measured points in ascending order; valid as long as `results`. Throws UserError, naming line
/// and figure, if a figure is missing or of a wrong type.
[[nodiscard]] std::vector<Measured> measured(const Results& results);

/// Value of a key ("section.key") in a line; null if the line has none.
[[nodiscard]] const Line& value_of(const Line& line, const std::string& key);

/// Value as short text: no quotes, few digits; empty for null.
[[nodiscard]] std::string plain(const Line& value);

/// Keys whose values differ between lines, in the configuration's order.
[[nodiscard]] std::vector<std::string> varied_keys(const std::vector<Line>& lines);

/// Those of varied_keys() that follow from `key`: they are equal in all lines with equal value of
/// `key`.
[[nodiscard]] std::vector<std::string> implied_by(const std::vector<Line>& lines,
                                                  const std::string& key);

/// The Pareto-optimal points by ascending cost: no other point is at least as good in both values
/// and better in one. Of equal points the first is taken.
struct CostAndTime {
  double cost = 0, time = 0;
};
[[nodiscard]] std::vector<std::size_t> pareto_front(const std::vector<CostAndTime>& points);

/// Best points of one network, as indices into `points`. Precondition: `points` is not empty and
/// all have rates. Ties are resolved by less memory, then fewer multipliers, then the lower point.
struct Best {
  std::size_t fastest = 0;    ///< most frames per second per bit of memory
  std::size_t efficient = 0;  ///< most frames per second for each bit of memory
  std::size_t smallest = 0;   ///< least memory among points within 10 % of the lowest latency
  /// fewest multipliers among points within 10 % of the lowest latency
  std::size_t multipliers = 0;
};
[[nodiscard]] Best best_of(const std::vector<const Measured*>& points);

}  // namespace tactus::sweep
