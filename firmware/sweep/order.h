// The order in which the points of a sweep are started.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace tactus::sweep {

/// Keeps points with the same program from running at the same time: the first of them compiles the
/// program, and the others then find it in the cache. The next point is therefore the first of the
/// waiting points (see `near`) whose program no running point has; if there is none, the first
/// waiting point. Without parallel jobs, points start in their order.
class StartingOrder {
 public:
  /// Number of waiting points that are considered. The texts of their programs are kept in memory.
  static constexpr std::size_t near = 64;

  /// Points are numbered 0 to count - 1. `program_of` returns a text that is equal for points with
  /// the same program.
  StartingOrder(std::size_t count, std::function<std::string(std::size_t)> program_of);

  /// Returns the next point and counts it as running; empty if all points have started.
  [[nodiscard]] std::optional<std::size_t> next();
  /// Says that a running point has ended.
  void ended(std::size_t point);

 private:
  struct Waiting {
    std::size_t point;
    std::string program;
  };
  [[nodiscard]] bool runs(const std::string& program) const;

  std::size_t count_;
  std::function<std::string(std::size_t)> program_of_;
  std::size_t seen_ = 0;                        ///< points that wait, run or have ended
  std::deque<Waiting> waiting_;                 ///< in the order of the points
  std::map<std::size_t, std::string> running_;  ///< program of each running point
};

}  // namespace tactus::sweep
