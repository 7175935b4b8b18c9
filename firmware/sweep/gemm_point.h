// Points that are matrix products, as tactus gemm runs them.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/sweep/configuration.h"

namespace tactus::sweep {

/// Every key of a matrix product on this machine, see base_defaults(). A file is named in full.
[[nodiscard]] Configuration gemm_defaults(const std::string& machine, const std::string& file);

/// Throws UserError for a configuration that no machine can be made of.
void check_gemm(const Configuration& configuration);

/// Runs the product and returns its figures as one line of JSON. Throws UserError for what does not
/// fit the machine, does not end within `max_cycles` (0: no limit), or comes out wrong.
[[nodiscard]] std::string evaluate_gemm(const Configuration& configuration,
                                        std::uint64_t max_cycles);

}  // namespace tactus::sweep
