// Points that are Stripe programs on a TCU, as tactus codesign studies them.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/codesign/point.h"
#include "firmware/sweep/configuration.h"

namespace tactus::sweep {

/// Every key of a Stripe program on this board, see base_defaults().
[[nodiscard]] Configuration stripe_defaults(const std::string& board, const std::string& file);

/// Names files in full, so that the point is the same from any folder, and adds hashes of what they
/// hold, since that is part of the point. `file`: the definition's.
void bind_stripe_files(Configuration& configuration, const std::string& file);

/// Throws UserError for values out of range, with their keys.
[[nodiscard]] codesign::PointTask to_stripe_task(const Configuration& configuration);

/// The figures as one line of JSON; see codesign::evaluate().
[[nodiscard]] std::string evaluate_stripe(const Configuration& configuration,
                                          std::uint64_t max_cycles);

/// What speaks against a value that names a file of a Stripe point; empty if nothing does.
[[nodiscard]] std::string stripe_file_problem(const std::string& key, const std::string& value,
                                              const std::string& file);

}  // namespace tactus::sweep
