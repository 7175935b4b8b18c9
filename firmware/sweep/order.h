// The order in which the points of a sweep start.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <optional>
#include <string>

namespace tactus::sweep {

/// Points with one program compile it once if they do not run at the same time: the first compiles
/// it, the others find it in the cache. So the next point is the first one whose program no running
/// point has or, where there is none near the front, simply the first. One at a time, points start
/// in their order.
class StartingOrder {
 public:
  /// How many points may be overtaken, and have their programs in memory.
  static constexpr std::size_t near = 64;

  /// Points are numbered 0 to count - 1; the function tells what the program of one depends on.
  StartingOrder(std::size_t count, std::function<std::string(std::size_t)> program_of);

  /// The next point, which now runs; none if all have started.
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
  std::map<std::size_t, std::string> running_;  ///< a point's program
};

}  // namespace tactus::sweep
