// Computes the figures of a point.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "firmware/bench/evaluation.h"
#include "firmware/sweep/configuration.h"

namespace tactus::sweep {

/// Throws UserError, naming the key, for a value out of range.
[[nodiscard]] bench::Task to_task(const Configuration& configuration);

/// Compiles the network of a configuration (or takes the program from the cache), simulates one
/// image, and returns the figures as a line of JSON. `max_cycles` limits the run; 0: no limit.
/// Throws UserError for a configuration that cannot be built, compiled or run.
[[nodiscard]] std::string evaluate(std::string_view configuration_json,
                                   const bench::ProgramCache& cache, std::uint64_t max_cycles);

}  // namespace tactus::sweep
