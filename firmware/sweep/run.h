// Runs the points of a sweep that are not finished yet, each in a process of its own and in the
// order of order.h.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "firmware/process/pool.h"
#include "firmware/sweep/definition.h"
#include "firmware/sweep/results.h"

namespace tactus::sweep {

/// Part i of n, i from 1: every n-th point.
struct Shard {
  std::size_t part = 1;
  std::size_t parts = 1;
};

/// Throws UserError unless the text is i/n with 1 <= i <= n.
[[nodiscard]] Shard parse_shard(const std::string& text);

[[nodiscard]] std::vector<Point> points_of(const Shard& shard, std::vector<Point> points);

/// What a point may take; a point that meets a limit has failed. 0: no limit.
struct Limits {
  std::uint64_t cycles = 0;
  double seconds = 0;
};

/// How the process of a point says that the host and not the point is at fault.
constexpr int exit_host_failed = 5;

/// The job that evaluates a point: this program's `sweep --point` with the configuration as
/// its input and the figures as its output.
[[nodiscard]] Job point_job(const Configuration& configuration, const Limits& limits);

/// The line of an ended job: its figures, or why there are none.
[[nodiscard]] Line result_line(const Point& point, const Configuration& configuration,
                               const JobResult& result, const std::string& tool);

/// What speaks against the machine of a point, with its memory, and against the files that it
/// names, without compiling; empty: nothing.
[[nodiscard]] std::string point_problem(const Configuration& configuration);

/// Throws UserError if none of the points can be built; what is wrong with a few is theirs to say.
void require_some_point(const std::vector<Point>& points, const Configurations& configurations,
                        const std::string& path);

struct RunOfPoints {
  std::size_t at_once = 1;
  std::string tool;
  Limits limits;
  std::function<void(const Point&, const Line&)> report;  ///< hears of each finished point
  std::function<bool()> stop;                             ///< see run_jobs()
};
/// Points that the folder has already are left out. Ended by `stop`, it leaves results.csv as it
/// was.
void run_points(const std::vector<Point>& points, const Configurations& configurations,
                ResultsFolder& folder, const RunOfPoints& run);

}  // namespace tactus::sweep
