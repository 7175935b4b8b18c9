// Points of a sweep that are matrix products. They run as with `tactus gemm`.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/sweep/configuration.h"

namespace tactus::sweep {

/// All keys of a matrix product on a machine, with their defaults; see base_defaults(). Files are
/// named by their full paths.
[[nodiscard]] Configuration gemm_defaults(const std::string& machine, const std::string& file);

/// Throws UserError if no machine can be made from the configuration.
void check_gemm(const Configuration& configuration);

/// Runs the product of a point and returns its figures as a line of JSON. Throws UserError if the
/// product does not fit the machine, does not end within `max_cycles` (0: no limit), or gives a
/// wrong result.
[[nodiscard]] std::string evaluate_gemm(const Configuration& configuration,
                                        std::uint64_t max_cycles);

}  // namespace tactus::sweep
