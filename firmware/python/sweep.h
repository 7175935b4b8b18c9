// Runs sweeps with a callback. Folders and processes are those of `tactus sweep`.
#pragma once

#include <functional>
#include <string>

#include "firmware/sweep/run.h"

namespace tactus::python {

struct SweepRequest {
  std::string definition;  ///< JSON text
  std::string where;       ///< file of the definition, for messages and relative paths
  std::string folder;      ///< folder of the results
  std::size_t jobs = 0;    ///< parallel jobs; 0: one per core
  bool retry_failed = false;
  sweep::Limits limits;
};

/// Runs the points that have no result in the folder, calls `report` for each that ends, and
/// returns the lines of all points, in their order. `stop` is called at least twice per second; if
/// it returns true, the sweep ends. Throws UserError.
[[nodiscard]] std::vector<sweep::Line> run_sweep(
    const SweepRequest& request, const std::function<void(const sweep::Line&)>& report,
    const std::function<bool()>& stop);

}  // namespace tactus::python
