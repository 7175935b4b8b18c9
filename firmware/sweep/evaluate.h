// Computes the figures of a point of any kind.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "firmware/bench/evaluation.h"
#include "firmware/sweep/configuration.h"

namespace tactus::sweep {

/// Converts the configuration of a network's point to a task of `tactus bench`. Throws UserError,
/// naming the key, if a value is out of range.
[[nodiscard]] bench::Task to_task(const Configuration& configuration);

/// Evaluates a point (for a network: compiles it, or takes the program from the cache, and
/// simulates it) and returns the figures as a line of JSON. `configuration_json` is the point's
/// configuration. `max_cycles` limits the run; 0: no limit. Throws UserError if the point cannot be
/// built, compiled or run.
[[nodiscard]] std::string evaluate(std::string_view configuration_json,
                                   const bench::ProgramCache& cache, std::uint64_t max_cycles);

}  // namespace tactus::sweep
