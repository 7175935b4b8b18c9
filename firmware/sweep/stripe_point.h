// Points of sweeps that are Stripe programs on a TCU, evaluated as by `tactus codesign`.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/codesign/point.h"
#include "firmware/sweep/configuration.h"

namespace tactus::sweep {

/// All keys of a Stripe program on this board, see base_defaults().
[[nodiscard]] Configuration stripe_defaults(const std::string& board, const std::string& file);

/// Replaces file names by full paths, so that the point does not depend on the current folder, and
/// adds hashes of the files' content, which is part of the point. `file` is the definition's path.
void bind_stripe_files(Configuration& configuration, const std::string& file);

/// Throws UserError, naming the key, for a value out of range.
[[nodiscard]] codesign::PointTask to_stripe_task(const Configuration& configuration);

/// Returns the figures as a line of JSON; see codesign::evaluate().
[[nodiscard]] std::string evaluate_stripe(const Configuration& configuration,
                                          std::uint64_t max_cycles);

/// Problem with a value that names a file of a Stripe point; empty if none.
[[nodiscard]] std::string stripe_file_problem(const std::string& key, const std::string& value,
                                              const std::string& file);

}  // namespace tactus::sweep
