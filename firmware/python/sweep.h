// Sweeps with a callback, on the folders and processes of `tactus sweep`.
#pragma once

#include <functional>
#include <string>

#include "firmware/sweep/run.h"

namespace tactus::python {

struct SweepRequest {
  std::string definition;  ///< the JSON text
  std::string where;       ///< its file, for messages and the paths in it
  std::string folder;      ///< of the results
  std::size_t jobs = 0;    ///< at once; 0: as many as there are cores
  bool retry_failed = false;
  sweep::Limits limits;
};

/// Runs the points that the folder does not have yet, tells `report` of each and returns all lines.
/// `stop` is asked twice a second. Throws UserError.
[[nodiscard]] std::vector<sweep::Line> run_sweep(
    const SweepRequest& request, const std::function<void(const sweep::Line&)>& report,
    const std::function<bool()>& stop);

}  // namespace tactus::python
