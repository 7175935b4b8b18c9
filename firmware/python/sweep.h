// Sweeps with a callback, using the folders and processes of `tactus sweep`.
#pragma once

#include <functional>
#include <string>

#include "firmware/sweep/run.h"

namespace tactus::python {

struct SweepRequest {
  std::string definition;  ///< JSON text
  std::string where;       ///< file of the definition, for messages and relative paths
  std::string folder;      ///< folder of results
  std::size_t jobs = 0;    ///< parallel jobs; 0: one per core
  bool retry_failed = false;
  sweep::Limits limits;
};

/// Runs the points that have no result in the folder, calls `report` for each, and returns all
/// lines. `stop` is called twice per second. Throws UserError.
[[nodiscard]] std::vector<sweep::Line> run_sweep(
    const SweepRequest& request, const std::function<void(const sweep::Line&)>& report,
    const std::function<bool()>& stop);

}  // namespace tactus::python
