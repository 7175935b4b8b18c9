// Runs the points of a sweep that are not finished yet, each in a process of its own.
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

/// The job that evaluates a point: this program's `sweep --point` with the configuration as
/// its input and the figures as its output.
[[nodiscard]] Job point_job(const Point& point);

/// The line of an ended job: its figures, or the error it printed.
[[nodiscard]] Line result_line(const Point& point, const JobResult& result,
                               const std::string& tool);

/// `report` hears of each finished point.
void run_points(const std::vector<Point>& points, ResultsFolder& folder, std::size_t at_once,
                const std::string& tool,
                const std::function<void(const Point&, const Line&)>& report);

}  // namespace tactus::sweep
