// What a run prints and writes about itself.
#pragma once

#include <string>
#include <vector>

#include "firmware/cli/run_plan.h"
#include "firmware/driver/tcu/host.h"
#include "firmware/report/activity.h"

namespace tactus {

struct RunReport {
  const RunPlan& plan;
  std::vector<ImageResult> images;  ///< the last may be unfinished
  Cycle total_cycles = 0;           ///< of the machine, all images and preparation
  double wall_seconds = 0;          ///< simulation only
  Activity activity;                ///< of the first image; filled for a page only
};

/// Figures as JSON. Those at the top are of the first image; an image's cycles count from its
/// start.
[[nodiscard]] std::string stats_json(const RunReport& report);

/// The page of --report.
[[nodiscard]] std::string report_html(const RunReport& report);

/// The one-screen summary.
[[nodiscard]] std::string summary(const RunReport& report);

/// What each unit waits for, for a run that did not finish.
[[nodiscard]] std::string stuck_message(const RunPlan& plan, const RunResult& result);

/// Share of the array's multiply-accumulates that were used, 0..1. Cycles without a run count as
/// lost.
[[nodiscard]] double array_utilisation(std::uint64_t runs, Cycle cycles);

}  // namespace tactus
