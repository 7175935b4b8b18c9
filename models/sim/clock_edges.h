// The rising edges of a clock whose period may change while it runs.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>

#include "models/sim/engine.h"

namespace tactus {

/// Edges are counted from 0, with times in units of sc_time. Consecutive edges at equal distances
/// share an entry. Only the last 2^20 entries are kept; earlier edges get the time of the oldest.
class ClockEdges {
 public:
  static constexpr Cycle unknown = ~Cycle{0};

  /// Adds an edge, later than all others.
  void add(std::uint64_t time) {
    if (runs_.empty() || (count_ > runs_.back().first + 1 && time - last_ != runs_.back().period)) {
      if (runs_.size() == most_runs) runs_.pop_front();
      runs_.push_back({count_, time, 0});
    } else if (count_ == runs_.back().first + 1) {
      runs_.back().period = time - last_;
    }
    last_ = time;
    ++count_;
  }
  [[nodiscard]] Cycle count() const { return count_; }
  /// Time of the last edge. Precondition, also of time_of(): there is one.
  [[nodiscard]] std::uint64_t last() const { return last_; }
  [[nodiscard]] bool is_at(std::uint64_t time) const { return count_ > 0 && last_ == time; }

  /// Time of an edge that has come.
  [[nodiscard]] std::uint64_t time_of(Cycle edge) const {
    if (edge + 1 >= count_) return last_;
    const Run& run = *find([edge](const Run& r) { return r.first <= edge; });
    return run.time + (edge - std::min(edge, run.first)) * run.period;
  }
  /// The first edge at a time or after it; `unknown` if it has not come.
  [[nodiscard]] Cycle first_from(std::uint64_t time) const {
    if (count_ == 0 || time > last_) return unknown;
    const auto run = find([time](const Run& r) { return r.time <= time; });
    if (time <= run->time) return run->first;
    const Cycle next = run + 1 == runs_.end() ? count_ : (run + 1)->first;
    if (run->period == 0) return next;
    return std::min(next, run->first + (time - run->time + run->period - 1) / run->period);
  }

 private:
  static constexpr std::size_t most_runs = std::size_t{1} << 20U;
  struct Run {
    Cycle first;
    std::uint64_t time, period;  ///< of the first edge; distance of the edges, 0 with one edge
  };
  /// The last entry for which this holds, or else the first.
  template <typename Holds>
  [[nodiscard]] std::deque<Run>::const_iterator find(const Holds& holds) const {
    // In most cases it is one of the last two.
    for (auto run = runs_.end(); run != runs_.begin() && runs_.end() - run < 2;) {
      if (holds(*--run)) return run;
    }
    const auto behind = std::partition_point(runs_.begin(), runs_.end(), holds);
    return behind == runs_.begin() ? behind : behind - 1;
  }

  std::deque<Run> runs_;
  Cycle count_ = 0;
  std::uint64_t last_ = 0;
};

}  // namespace tactus
