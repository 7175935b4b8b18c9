// Evaluations of several networks on the units of one board, with requests that arrive: rows of
// tables and points of sweeps that have options of serving.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include "firmware/bench/evaluation.h"

namespace tactus::bench {

/// True if the task has an option of serving (RunRequest::beside and the members after it).
[[nodiscard]] bool is_served(const Task& task);
/// The task without these options: one image on one unit.
[[nodiscard]] Task alone(const Task& task);
/// Checks what can be checked before networks are compiled. Throws UserError, which names the
/// option.
void check_serving(const Task& task);
/// Compiles the networks, or takes them from the cache, serves their requests, and returns the
/// figures of each by name. Throws UserError.
[[nodiscard]] nlohmann::ordered_json serve_task(const Task& task, const ProgramCache& cache);

}  // namespace tactus::bench
