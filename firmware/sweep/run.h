// Runs the unfinished points of a sweep, each in its own process, in the order given by order.h.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "firmware/process/pool.h"
#include "firmware/sweep/definition.h"
#include "firmware/sweep/results.h"

namespace tactus::sweep {

/// Shard i of n, i from 1: every n-th point.
struct Shard {
  std::size_t part = 1;
  std::size_t parts = 1;
};

/// Parses "i/n". Throws UserError unless 1 <= i <= n.
[[nodiscard]] Shard parse_shard(const std::string& text);

[[nodiscard]] std::vector<Point> points_of(const Shard& shard, std::vector<Point> points);

/// Limits of a point's resources. A point that reaches a limit has failed. 0: no limit.
struct Limits {
  std::uint64_t cycles = 0;
  double seconds = 0;
};

/// Exit code of a point's process when the host, not the point, is the cause of a failure.
constexpr int exit_host_failed = 5;

/// Job that evaluates a point: runs this program's `sweep --point` with the configuration as input
/// and the figures as output.
[[nodiscard]] Job point_job(const Configuration& configuration, const Limits& limits);

/// Result line of an ended job: its figures, or the reason for having none.
[[nodiscard]] Line result_line(const Point& point, const Configuration& configuration,
                               const JobResult& result, const std::string& tool);

/// Problem with a point's machine, memory or files that can be found without compiling; empty if
/// none.
[[nodiscard]] std::string point_problem(const Configuration& configuration);

/// Throws UserError if no point can be built. Problems of single points are reported when they are
/// run.
void require_some_point(const std::vector<Point>& points, const Configurations& configurations,
                        const std::string& path);

struct RunOfPoints {
  std::size_t at_once = 1;
  std::string tool;
  Limits limits;
  std::function<void(const Point&, const Line&)> report;  ///< called for each finished point
  std::function<bool()> stop;                             ///< see run_jobs()
};
/// Runs the points that have no result in the folder. If `stop` ends it early, results.csv is not
/// changed.
void run_points(const std::vector<Point>& points, const Configurations& configurations,
                ResultsFolder& folder, const RunOfPoints& run);

}  // namespace tactus::sweep
