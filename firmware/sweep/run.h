// Runs the points of a sweep that have no result, each in a process of its own, in the order of
// order.h.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "firmware/process/pool.h"
#include "firmware/sweep/definition.h"
#include "firmware/sweep/results.h"

namespace tactus::sweep {

/// Shard i of n, i from 1: every n-th point, from the i-th on.
struct Shard {
  std::size_t part = 1;
  std::size_t parts = 1;
};

/// Parses "i/n". Throws UserError unless 1 <= i <= n.
[[nodiscard]] Shard parse_shard(const std::string& text);

/// The points of a shard.
[[nodiscard]] std::vector<Point> points_of(const Shard& shard, std::vector<Point> points);

/// Limits on the run of a point; 0: no limit. A point that reaches a limit has failed.
struct Limits {
  std::uint64_t cycles = 0;
  double seconds = 0;
};

/// Exit code of a point's process if the host, and not the point, is the cause of its failure.
constexpr int exit_host_failed = 5;

/// The job that evaluates a point. It runs `sweep --point` of this program, with the configuration
/// as input and the figures as output.
[[nodiscard]] Job point_job(const Configuration& configuration, const Limits& limits);

/// The line for an ended job, with the point's figures or the reason why it has none.
[[nodiscard]] Line result_line(const Point& point, const Configuration& configuration,
                               const JobResult& result, const std::string& tool);

/// Says what is wrong with a point's machine, memory or files, as far as it shows without
/// compiling; empty if nothing is.
[[nodiscard]] std::string point_problem(const Configuration& configuration);

/// Throws UserError if none of the points can be built. Problems of single points are reported when
/// these are run.
void require_some_point(const std::vector<Point>& points, const Configurations& configurations,
                        const std::string& path);

struct RunOfPoints {
  std::size_t at_once = 1;  ///< number of processes that run at the same time
  std::string tool;
  Limits limits;
  std::function<void(const Point&, const Line&)> report;  ///< called for each point that has ended
  std::function<bool()> stop;                             ///< see run_jobs()
};
/// Runs the points that have no result in the folder. If `stop` ends the run early, results.csv is
/// not changed.
void run_points(const std::vector<Point>& points, const Configurations& configurations,
                ResultsFolder& folder, const RunOfPoints& run);

}  // namespace tactus::sweep
