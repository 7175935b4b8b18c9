// Points of a sweep that are Stripe programs on a TCU. They are evaluated as with `tactus
// codesign`.
#pragma once

#include <cstdint>
#include <string>

#include "firmware/codesign/point.h"
#include "firmware/sweep/configuration.h"

namespace tactus::sweep {

/// All keys of a Stripe program on a board, with their defaults; see base_defaults().
[[nodiscard]] Configuration stripe_defaults(const std::string& board, const std::string& file);

/// Replaces file names by full paths, so that the point does not depend on the current folder. Adds
/// the hashes of the files, since their content is part of the point. Names are relative to the
/// folder of `file`, the sweep's definition.
void bind_stripe_files(Configuration& configuration, const std::string& file);

/// Converts the configuration of such a point to a task. Throws UserError, naming the key, if a
/// value is missing or out of range.
[[nodiscard]] codesign::PointTask to_stripe_task(const Configuration& configuration);

/// Evaluates a point and returns its figures as a line of JSON; see codesign::evaluate().
/// `max_cycles` limits the run; 0: the limit of the configuration.
[[nodiscard]] std::string evaluate_stripe(const Configuration& configuration,
                                          std::uint64_t max_cycles);

/// Says what is wrong with the file that a key of a Stripe point names, relative to the folder of
/// `file`; empty if nothing is.
[[nodiscard]] std::string stripe_file_problem(const std::string& key, const std::string& value,
                                              const std::string& file);

}  // namespace tactus::sweep
