// Finds the best points of a sweep, its Pareto fronts, and the keys that vary.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "firmware/report/json_values.h"
#include "firmware/sweep/results.h"

namespace tactus::sweep {

/// A point whose status is ok, and its figures. A program without instructions takes 0 cycles and
/// has no rates.
struct Measured {
  const Line* line = nullptr;
  std::string where;  ///< position of the line: "DIR/results.jsonl:3"
  std::uint64_t point = 0;
  std::string network;  ///< network, matrix product or Stripe program
  std::uint64_t cycles = 0;
  double latency_ms = 0;
  std::optional<double> frames_per_second, array_busy, useful_mac;
  std::uint64_t units = 1;  ///< units behind one memory; the figures below are those of all
  double memory_bits = 0, multipliers = 0;  ///< on chip, see energy::OnChip
  /// Bytes read and written at all DRAM banks per second, if images run one after the other.
  std::optional<double> dram_bytes_per_second;
  std::uint64_t constants_cycles = 0;  ///< see ImageResult::constants

  [[nodiscard]] JsonValues values() const { return {*line, where}; }
};

/// The points whose status is ok, by ascending number. They refer to `results`. Throws UserError,
/// naming line and figure, if a figure is missing or has the wrong type.
[[nodiscard]] std::vector<Measured> measured(const Results& results);

/// What points are compared by: latency; or frames per second if points have several units, which
/// leave the latency of an image as it is. Functions need points that have rates.
struct Speed {
  bool rate = false;  ///< true: frames per second
  const char* title = "Latency";
  const char* axis = "latency, ms";
  const char* unit = "ms";
  const char* better = "less latency";
  const char* best = "lowest";  ///< name of the best value

  [[nodiscard]] double value(const Measured& point) const {
    return rate ? point.frames_per_second.value_or(0) : point.latency_ms;
  }
  /// A value that is less for better points: ms, of several units those for an image.
  [[nodiscard]] double time(const Measured& point) const {
    return rate ? 1e3 / point.frames_per_second.value_or(0) : point.latency_ms;
  }
};
[[nodiscard]] Speed speed_of(const std::vector<Measured>& points);

/// The value of a key ("section.key") in the configuration of a line; null if there is none.
[[nodiscard]] const Line& value_of(const Line& line, const std::string& key);

/// A value as short text: no quotes, few digits; empty for null.
[[nodiscard]] std::string plain(const Line& value);

/// The keys whose values differ between lines, in the order of the configuration.
[[nodiscard]] std::vector<std::string> varied_keys(const std::vector<Line>& lines);

/// The keys among varied_keys() that follow from `key`: in all lines with one value of `key` they
/// have one value.
[[nodiscard]] std::vector<std::string> implied_by(const std::vector<Line>& lines,
                                                  const std::string& key);

/// Indices of the Pareto-optimal points, by ascending values, the first one first. rows[i] has the
/// values of point i; lower ones are better. A point is Pareto-optimal if no other point is at
/// least as good in all values and better in one. Of equal points the first is taken.
[[nodiscard]] std::vector<std::size_t> pareto_front(const std::vector<std::vector<double>>& rows);

/// The best points of one network, as indices into the argument of best_of(). Of points that are
/// equally good, the one with less memory wins, then the one with fewer multipliers, then the lower
/// number.
struct Best {
  std::size_t fastest = 0;    ///< lowest latency
  std::size_t rate = 0;       ///< most frames per second
  std::size_t efficient = 0;  ///< most frames per second per bit of memory
  std::size_t smallest = 0;   ///< least memory among points within 10 % of the lowest latency
  /// Fewest multipliers among points within 10 % of the lowest latency.
  std::size_t multipliers = 0;
};
/// Precondition: `points` is not empty, is in ascending order, and all points have rates.
[[nodiscard]] Best best_of(const std::vector<const Measured*>& points);

}  // namespace tactus::sweep
