// Order in which the points of a sweep are started.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace tactus::sweep {

/// Avoids that points with the same program run at the same time: the first compiles the program,
/// later ones find it in the cache. The next point is therefore the first one near the front whose
/// program no running point has or, if there is none, the first point. Without parallel jobs,
/// points start in their order.
class StartingOrder {
 public:
  /// Number of points at the front that are considered; their programs are kept in memory.
  static constexpr std::size_t near = 64;

  /// Points are numbered 0 to count - 1. `program_of` returns a text that is equal for points with
  /// the same program.
  StartingOrder(std::size_t count, std::function<std::string(std::size_t)> program_of);

  /// Returns the next point and counts it as running; empty if all have started.
  [[nodiscard]] std::optional<std::size_t> next();
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
  std::deque<Waiting> waiting_;                 ///< in order
  std::map<std::size_t, std::string> running_;  ///< program of each running point
};

}  // namespace tactus::sweep
